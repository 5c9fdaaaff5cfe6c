import { expect, test } from 'vitest';
import { changeDraft, emptyDraft } from './draft.logic.ts';
import { offerOf, wishOf } from './new-session.logic.ts';

const CAN = { supportsModelSelection: true, supportsFileAttachments: true, approvalModes: ['yolo', 'prompt', 'plan'] };
const SCREEN = { resumes: true, takesModel: false, takesPrompt: true, approvalModes: ['plan'] };
const detail = (screen: typeof SCREEN | null, capabilities: Record<string, unknown> = CAN) => ({
  modes: [{ name: 'live', capabilities, promptDelivery: 'protocol' as const, limitations: [] }],
  screen,
});
const PLACE = { agent: 'acme', cwd: '/work' };
const draft = changeDraft(emptyDraft(), {
  prompt: 'do it',
  files: [{ id: 'f1', name: 'a.txt' }],
  model: ' m1 ',
  approvalMode: 'yolo',
  onLimit: 'wait',
  worktree: true,
});

test('what was chosen is asked for, and asking first is what is usual', () => {
  const offer = offerOf(detail(null), draft, { inRepository: true });
  expect(offer.modes.map(({ mode }) => mode)).toEqual(['prompt', 'plan', 'yolo']);
  expect(wishOf(draft, offer, PLACE)).toEqual({
    ...{ id: draft.id, ...PLACE, worktree: true, onLimit: 'wait', prompt: 'do it', files: ['f1'] },
    options: { model: 'm1', approvalMode: 'yolo' },
  });
  const plain = emptyDraft();
  expect(wishOf(plain, offer, PLACE)).toEqual({ id: plain.id, ...PLACE, worktree: false, options: {} });
});

test('effort, title and budget are asked for where they are offered', () => {
  const wish = changeDraft(emptyDraft(), { effort: 'high', title: ' A title ', usd: '5', tokens: '200k' });
  const offer = offerOf(detail(null, { ...CAN, thinkingEfforts: ['low', 'high'] }), wish, undefined);
  expect(wishOf(wish, offer, PLACE)).toMatchObject({
    options: { thinkingEffort: 'high' },
    title: 'A title',
    budget: { usd: 5, tokens: 200_000 },
  });
  // Another agent does not have this effort.
  expect(wishOf(wish, offerOf(detail(null), wish, undefined), PLACE).options).toEqual({});
  expect(() => wishOf(changeDraft(wish, { usd: 'five' }), offer, PLACE)).toThrow('"five"');
});

test('what was chosen for another agent or folder is not asked of this one', () => {
  const offer = offerOf(detail(null, { approvalModes: ['prompt'] }), draft, { inRepository: false });
  expect(offer).toMatchObject({ model: false, files: null, worktree: false, terminal: false });
  expect(wishOf(draft, offer, PLACE)).toMatchObject({ worktree: false, options: {}, files: [] });
  // Nothing is known yet.
  expect(wishOf(draft, offerOf(undefined, draft, undefined), PLACE)).toMatchObject({ worktree: false, options: {} });
});

test('a screen is told only what it can be told, and only an agent that has one is opened in a terminal', () => {
  const wish = changeDraft(draft, { inTerminal: true, approvalMode: 'plan' });
  const offer = offerOf(detail(SCREEN), wish, { inRepository: true });
  expect(offer).toMatchObject({ terminal: true, inTerminal: true, model: false, files: null, onLimit: false });
  expect(wishOf(wish, offer, PLACE)).toEqual({
    ...{ id: wish.id, ...PLACE, worktree: true, options: { approvalMode: 'plan' } },
  });
  expect(offerOf(detail(null), wish, undefined).inTerminal).toBe(false);
});
