import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Screen } from '../screen/screen.ts';
import { Conversation } from './conversation.ts';
import type { Composing } from './terminal/person-terminal.ts';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'amux-conversation-'));
  vi.stubEnv('XDG_STATE_HOME', state);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(state, { recursive: true, force: true });
});

function conversation(canSteer: boolean, steer: () => Promise<void> = async () => {}) {
  const done: string[] = [];
  let shown = '';
  let composing: Composing | undefined;
  const terminal = {
    draft: '',
    isIdle: false,
    clearDraft: () => {
      terminal.draft = '';
    },
    compose: (given: Composing) => {
      composing = given;
    },
  };
  const stream = { write: (text: string) => (shown += text) };
  const interrupts: { betweenTurns: (() => void) | undefined } = { betweenTurns: undefined };
  const talk = new Conversation({
    handle: {
      send: async (text: string) => void done.push(`send ${text}`),
      steer: async (text: string) => {
        await steer();
        done.push(`steer ${text}`);
      },
      end: () => {
        done.push('end');
        return Promise.reject(new Error('not needed'));
      },
    },
    terminal,
    screen: new Screen(stream, stream),
    interrupts,
    waiting: undefined,
    canSteer,
  });
  const type = async (text: string) => {
    composing?.onMessage(text);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const endTurn = (status: 'completed' | 'interrupted' = 'completed') =>
    talk.event({ type: 'turn_end', status, agent: 'a', runId: 'r', turnIndex: 0, seq: 0, timestamp: 0 });
  return { done, terminal, interrupts, type, endTurn, leave: () => composing?.onLeave(), shown: () => shown };
}

describe('a message while the agent works', () => {
  it('steers an agent that can be steered, and says so', async () => {
    const { done, type, shown } = conversation(true);
    await type('the other file');
    expect(done).toEqual(['steer the other file']);
    expect(shown()).toContain('› the other file\n  steered: the agent has it now\n');
  });

  it('waits for the end of the turn where it cannot, or could not after all', async () => {
    for (const { done, type, endTurn, shown } of [
      conversation(false),
      conversation(true, () => Promise.reject(new Error('too late'))),
    ]) {
      await type('one');
      await type('two');
      expect(done).toEqual([]);
      expect(shown()).toContain('queued, sent after this turn: one\n');
      endTurn();
      expect(done).toEqual(['send one']);
      endTurn();
      expect(done).toEqual(['send one', 'send two']);
    }
  });

  it('is back on the line when the turn is interrupted', async () => {
    const { done, type, endTurn, terminal } = conversation(false);
    terminal.draft = 'half';
    await type('one');
    endTurn('interrupted');
    expect(done).toEqual([]);
    expect(terminal).toMatchObject({ draft: 'one\nhalf', isIdle: true });
  });
});

describe('between two turns', () => {
  it('a message is the next turn', async () => {
    const { done, type, endTurn, interrupts } = conversation(true);
    endTurn();
    await type('go on');
    expect(done).toEqual(['send go on']);
    expect(interrupts.betweenTurns).toBeUndefined();
  });

  it('Ctrl-C clears the line, then says how to leave, then leaves', () => {
    const { done, endTurn, interrupts, terminal, shown } = conversation(false);
    endTurn();
    terminal.draft = 'half';
    interrupts.betweenTurns?.();
    expect(terminal.draft).toBe('');
    interrupts.betweenTurns?.();
    expect(shown()).toContain('Ctrl-C again or Ctrl-D leaves');
    expect(done).toEqual([]);
    interrupts.betweenTurns?.();
    expect(done).toEqual(['end']);
  });

  it('Ctrl-D and /exit leave, in a turn after it', async () => {
    const now = conversation(false);
    now.endTurn();
    now.leave();
    expect(now.done).toEqual(['end']);
    const later = conversation(false);
    await later.type('/exit');
    expect(later.done).toEqual(['end']);
    expect(later.shown()).toContain('leaving after this turn');
  });
});
