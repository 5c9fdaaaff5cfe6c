import { describe } from 'vitest';
import type { Store } from './store.ts';
import { describeChanges } from './suite/changes.ts';
import { describeCommits } from './suite/commits.ts';
import { describeEvents } from './suite/events.ts';
import { describeMessages } from './suite/messages.ts';
import { describeRecords } from './suite/records.ts';
import { describeRequests } from './suite/requests.ts';
import { describeRetention } from './suite/retention.ts';
import { describeSessionLists } from './suite/session-lists.ts';
import { describeSessions } from './suite/sessions.ts';
import { describeUsage } from './suite/usage.ts';

/** An empty store; `dispose` closes and deletes it. */
export interface OpenedStore {
  store: Store;
  dispose(): Promise<void>;
}

export type OpenForTest = () => Promise<OpenedStore>;

/** Tests that any implementation of the store must pass. `open` is called for every test. */
export function describeStore(name: string, open: OpenForTest): void {
  describe(`store on ${name}`, () => {
    describe('sessions', () => describeSessions(open));
    describe('session lists', () => describeSessionLists(open));
    describe('commits', () => describeCommits(open));
    describe('events', () => describeEvents(open));
    describe('messages', () => describeMessages(open));
    describe('requests', () => describeRequests(open));
    describe('changes', () => describeChanges(open));
    describe('usage', () => describeUsage(open));
    describe('audit and records', () => describeRecords(open));
    describe('retention', () => describeRetention(open));
  });
}
