import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Screen } from '../screen/screen.ts';
import { Conversation } from './conversation.ts';
import type { Composing } from './terminal/user-terminal.ts';

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
    compose: (options: Composing) => {
      composing = options;
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

describe('message during a turn', () => {
  it('steers an agent that supports steering and notes it', async () => {
    const { done, type, shown } = conversation(true);
    await type('the other file');
    expect(done).toEqual(['steer the other file']);
    expect(shown()).toContain('› the other file\n  steered: delivered to the running turn\n');
  });

  it('is queued until the turn ends if steering is unsupported or fails', async () => {
    for (const { done, type, endTurn, shown } of [
      conversation(false),
      conversation(true, () => Promise.reject(new Error('too late'))),
    ]) {
      await type('one');
      await type('two');
      expect(done).toEqual([]);
      expect(shown()).toContain('queued until the turn ends: one\n');
      endTurn();
      expect(done).toEqual(['send one']);
      endTurn();
      expect(done).toEqual(['send one', 'send two']);
    }
  });

  it('returns to the input line when the turn is interrupted', async () => {
    const { done, type, endTurn, terminal } = conversation(false);
    terminal.draft = 'half';
    await type('one');
    endTurn('interrupted');
    expect(done).toEqual([]);
    expect(terminal).toMatchObject({ draft: 'one\nhalf', isIdle: true });
  });
});

describe('between two turns', () => {
  it('sends a message as the next turn', async () => {
    const { done, type, endTurn, interrupts } = conversation(true);
    endTurn();
    await type('continue');
    expect(done).toEqual(['send continue']);
    expect(interrupts.betweenTurns).toBeUndefined();
  });

  it('clears the line, warns, then exits on repeated Ctrl-C', () => {
    const { done, endTurn, interrupts, terminal, shown } = conversation(false);
    endTurn();
    terminal.draft = 'half';
    interrupts.betweenTurns?.();
    expect(terminal.draft).toBe('');
    interrupts.betweenTurns?.();
    expect(shown()).toContain('Ctrl-C again or Ctrl-D exits');
    expect(done).toEqual([]);
    interrupts.betweenTurns?.();
    expect(done).toEqual(['end']);
  });

  it('exits on Ctrl-D and /exit, after the current turn', async () => {
    const now = conversation(false);
    now.endTurn();
    now.leave();
    expect(now.done).toEqual(['end']);
    const later = conversation(false);
    await later.type('/exit');
    expect(later.done).toEqual(['end']);
    expect(later.shown()).toContain('exiting after this turn');
  });
});
