import { expect, it } from 'vitest';
import { devinAdapter } from '../devin/index.ts';
import { gooseAdapter } from '../goose/index.ts';
import { kiroAdapter } from '../kiro/index.ts';

it('goose: reads payloads by its own fields and ignores those of other agents', () => {
  const { read } = gooseAdapter.hooks!;
  expect(read('UserPromptSubmit', { event: 'UserPromptSubmit', session_id: '1', message: 'Say hello.' })).toEqual({
    agentSessionId: '1',
    prompt: 'Say hello.',
    state: 'active',
  });
  expect(read('PreToolUse', { event: 'PreToolUse', session_id: '1', working_dir: '/w' })).toEqual({
    agentSessionId: '1',
    cwd: '/w',
    state: 'active',
  });
  expect(read('Stop', { event: 'Stop', session_id: '1', last_assistant_message: 'Hello.' })).toMatchObject({
    answer: 'Hello.',
    state: 'idle',
  });
  expect(read('Stop', { hook_event_name: 'Stop', session_id: '1' })).toEqual({});
});

it('kiro: writes the documented format and reads a payload without a session id', () => {
  const { file, read } = kiroAdapter.hooks!;
  const { version, hooks } = JSON.parse(file.shape === 'plugin' ? file.text('kiro') : '');
  expect(version).toBe('v1');
  expect(hooks[0]).toMatchObject({
    trigger: 'SessionStart',
    action: { type: 'command', command: 'amux hooks kiro SessionStart' },
    enabled: true,
  });
  expect(read('UserPromptSubmit', { cwd: '/w', prompt: 'Say hello.' })).toEqual({
    cwd: '/w',
    prompt: 'Say hello.',
    state: 'active',
  });
  expect(read('Stop', { session_id: 's', assistant_response: 'Hello.' })).toEqual({
    agentSessionId: 's',
    answer: 'Hello.',
    state: 'idle',
  });
});

it('devin: has the table of events at the top level of its file', () => {
  expect(devinAdapter.hooks!.file).toMatchObject({ path: '.devin/hooks.v1.json', under: [] });
});
