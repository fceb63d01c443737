import { describe, expect, it } from 'vitest';
import { ACTIVITY_NAMES } from '../../src/contract/activity-names.ts';
import { AFTER_ANOTHER_MEMO, ROW_MEMO } from '../../src/contract/batch.ts';
import { accountOfBudget, accountOfCap } from '../../src/contract/entities/account.ts';
import { claimIdOf, submitTimeOf } from '../../src/contract/entities/claims.ts';
import * as messages from '../../src/contract/messages.ts';
import { outputName } from '../../src/contract/purchases/origins.ts';
import { PARENT_MEMO, PERHAPS_AGAIN, STARTED_AGAIN } from '../../src/contract/purchases/parent-run.ts';
import { REQUEST_MEMO } from '../../src/contract/purchases/request-digest.ts';
import { RECEIVER_CHECK } from '../../src/contract/receiver-check.ts';
import { SEARCH_ATTRIBUTES, WAITING_FOR_BUDGET } from '../../src/contract/search-attributes.ts';
import { TAGS_MEMO } from '../../src/contract/tags.ts';
import {
  ACCOUNT_AWAY,
  CAP_REACHED,
  CREDITS_RESERVED,
  submitKey,
  UNREADABLE,
} from '../../src/contract/tasks/submit-task.ts';
import { AT_FILES } from '../../src/contract/tasks/task-look.ts';
import { taskKey } from '../../src/contract/tasks/workspace-task.ts';
import { takenTaskId } from '../../src/contract/workflow-ids.ts';

describe('what histories, other versions and other programs know by its name keeps it', () => {
  it('signals, queries and updates', () => {
    const names = Object.values(messages).map(({ type, name }) => `${type} ${name}`);
    expect(names.toSorted()).toEqual([
      'query account',
      'query lookingFor',
      'query progress',
      'query progress',
      'query progress',
      'query unclaimed',
      'query unclaimedLike',
      'signal claimRequested',
      'signal creditsReleased',
      'signal eventsHeldUp',
      'signal left',
      'signal lookBegun',
      'signal parked',
      'signal releaseRows',
      'signal rowState',
      'signal stepState',
      'signal submitAccepted',
      'signal submitHeldUp',
      'signal submitNotSent',
      'signal submitProven',
      'signal taskCreated',
      'signal taskEvent',
      'signal taskGranted',
      'update approve',
      'update book',
      'update checkNow',
      'update decide',
      'update reject',
      'update reportSubmits',
      'update resolve',
      'update withdrawClaims',
    ]);
  });

  it('activities', () => {
    expect(ACTIVITY_NAMES.join(' ')).toBe(
      'accountedRows accountedTasks adoptTask applySubmitRate auditPurchases bookParts boughtSteps checkCallback ' +
        'checkClaims checkGeneration checkPipeline checkPlace closedRuns earlierTask enterCreditGate findReusable ' +
        'getBalance hasRuns judgeTask leaveCreditGate lookAtGeneration lookAtPipeline lookAtRow lookAtTask ' +
        'passSubmitQueue reachOutputs readRows requestClaim roundOfAttempt saidOfStep sendCallback startCallback submitTask ' +
        'surveyPaid surveyRows surveySteps surveyTasks takeTaskNames tellProof withdrawClaim',
    );
  });

  it('search attributes, each a Keyword, and fields of memos', () => {
    expect(SEARCH_ATTRIBUTES.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'DarkroomTaskId KEYWORD',
      'DarkroomModel KEYWORD',
      'DarkroomWorkspace KEYWORD',
      'DarkroomState KEYWORD',
    ]);
    expect([TAGS_MEMO, REQUEST_MEMO, PARENT_MEMO, ROW_MEMO, AFTER_ANOTHER_MEMO]).toEqual([
      'tags',
      'request',
      'parentFirstRun',
      'row',
      'afterAnother',
    ]);
  });

  it('words that one version writes and another one reads', () => {
    expect([STARTED_AGAIN, PERHAPS_AGAIN, AT_FILES, RECEIVER_CHECK, WAITING_FOR_BUDGET]).toEqual([
      'started again',
      'perhaps started again',
      'at the files',
      'darkroom.check',
      'waiting for its budget',
    ]);
    expect([UNREADABLE, ACCOUNT_AWAY, CREDITS_RESERVED, CAP_REACHED]).toEqual([
      'EARLIER_PURCHASE_UNREADABLE',
      'ACCOUNT_AWAY',
      'CREDITS_RESERVED',
      'CAP_REACHED',
    ]);
  });

  it('accounts, tasks and what tasks make', () => {
    expect(accountOfCap({ name: 'film', per: 'day' })).toEqual({ scope: 'cap/film/day', per: 'day' });
    expect(takenTaskId('t-1')).toBe('task/t-1');
    expect(takenTaskId('t-1', 'run-1')).toBe('task/t-1/run-1');
    expect(taskKey({ workspace: 'film', taskId: 't-1' })).toBe('film\nt-1');
    expect(outputName({ taskId: 't-1' }, 2)).toBe('t-1#2');
    expect(submitKey({ runId: 'run', activityId: '5' })).toBe('run 5');
  });
});

it("a budget's account is named by its workflow, or by a digest of a name that is too long", () => {
  const scopes = [180, 181].map((length) => accountOfBudget('w'.repeat(length), () => 'digest'));
  expect(scopes).toEqual([
    { scope: `budget/${'w'.repeat(180)}`, per: 'ever', owner: 'w'.repeat(180) },
    { scope: 'budget/digest', per: 'ever', owner: 'w'.repeat(181) },
  ]);
});

it('a claim tells by its id when its submit began, whatever stands before it', () => {
  const id = claimIdOf('0b5.run', 1_795_000_000_000.4);
  expect(id).toBe('0b5.run.mwm0nk74');
  expect(submitTimeOf(id)).toBe(1_795_000_000_000);
  expect(submitTimeOf('run.!')).toBeUndefined();
});
