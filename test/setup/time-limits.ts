import { vi } from 'vitest';
import { patience } from '../patience.ts';

// A busy machine is no defect: what is waited for comes, or it does not.
vi.setConfig({ testTimeout: patience(90_000), hookTimeout: patience(90_000) });
