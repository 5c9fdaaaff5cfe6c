import { expect, test } from 'vitest';
import { changeDraft, emptyDraft } from './draft.logic.ts';
import { choicesFor, toNewSession } from './new-session.logic.ts';

const CAN = { supportsModelSelection: true, supportsFileAttachments: true, approvalModes: ['yolo', 'prompt', 'plan'] };
const SCREEN = { resumes: true, takesModel: false, takesPrompt: true, approvalModes: ['plan'] };
const detail = (screen: typeof SCREEN | null, capabilities: Record<string, unknown> = CAN) => ({
  modes: [{ name: 'live', capabilities, promptDelivery: 'protocol' as const, limitations: [] }],
  screen,
});
const LOCATION = { agent: 'acme', cwd: '/work' };
const draft = changeDraft(emptyDraft(), {
  prompt: 'do it',
  files: [{ id: 'f1', name: 'a.txt' }],
  model: ' m1 ',
  approvalMode: 'yolo',
  onLimit: 'continue',
  worktree: true,
});

test('requests the chosen options and omits the default permission mode', () => {
  const choices = choicesFor(detail(null), draft, { inRepository: true });
  expect(choices.modes.map(({ mode }) => mode)).toEqual(['prompt', 'plan', 'yolo']);
  expect(toNewSession(draft, choices, LOCATION)).toEqual({
    ...{ id: draft.id, ...LOCATION, worktree: true, onLimit: 'continue', prompt: 'do it', files: ['f1'] },
    options: { model: 'm1', approvalMode: 'yolo' },
  });
  const plain = emptyDraft();
  expect(toNewSession(plain, choices, LOCATION)).toEqual({ id: plain.id, ...LOCATION, worktree: false, options: {} });
});

test('requests effort, title and budget where offered', () => {
  const draft2 = changeDraft(emptyDraft(), { effort: 'high', title: ' A title ', usd: '5', tokens: '200k' });
  const choices = choicesFor(detail(null, { ...CAN, thinkingEfforts: ['low', 'high'] }), draft2, undefined);
  expect(toNewSession(draft2, choices, LOCATION)).toMatchObject({
    options: { thinkingEffort: 'high' },
    title: 'A title',
    budget: { usd: 5, tokens: 200_000 },
  });
  // Another agent does not choices this effort.
  expect(toNewSession(draft2, choicesFor(detail(null), draft2, undefined), LOCATION).options).toEqual({});
  expect(() => toNewSession(changeDraft(draft2, { usd: 'five' }), choices, LOCATION)).toThrow('"five"');
});

test('ignores options that the agent or folder does not choices', () => {
  const choices = choicesFor(detail(null, { approvalModes: ['prompt'] }), draft, { inRepository: false });
  expect(choices).toMatchObject({ model: false, files: null, worktree: false, terminal: false });
  expect(toNewSession(draft, choices, LOCATION)).toMatchObject({ worktree: false, options: {}, files: [] });
  // The agent is not loaded yet.
  expect(toNewSession(draft, choicesFor(undefined, draft, undefined), LOCATION)).toMatchObject({
    worktree: false,
    options: {},
  });
});

test('passes only supported options to a terminal UI', () => {
  const draft2 = changeDraft(draft, { inTerminal: true, approvalMode: 'plan' });
  const choices = choicesFor(detail(SCREEN), draft2, { inRepository: true });
  expect(choices).toMatchObject({ terminal: true, inTerminal: true, model: false, files: null, onLimit: false });
  expect(toNewSession(draft2, choices, LOCATION)).toEqual({
    ...{ id: draft2.id, ...LOCATION, worktree: true, options: { approvalMode: 'plan' } },
  });
  expect(choicesFor(detail(null), draft2, undefined).inTerminal).toBe(false);
});
