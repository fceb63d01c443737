import { followsTheContract } from './foreign-contract.ts';
import { prepareGo } from './prepare-go.ts';

followsTheContract('Go', prepareGo);
