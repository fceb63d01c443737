/** What the plugin gives to the bundler: Darkroom's workflows, and those that the Worker was given. */
import { darkroomIsHere } from './child-ids.ts';

export * from 'temporal-darkroom/own-workflows';
export * from '../workflows/index.ts';

darkroomIsHere();
