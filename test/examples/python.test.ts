import { followsTheContract } from './foreign-contract.ts';
import { preparePython } from './prepare-python.ts';

followsTheContract('Python', preparePython);
