import { expect, test } from 'vitest';
import { whyNot } from './why-not.logic.ts';

const SCREEN = { resumes: true, takesModel: true, takesPrompt: true, approvalModes: ['plan'] };
const agent = { displayName: 'Acme', screen: SCREEN };
const session = { launch: 1, nativeId: 'n1', options: {} };

test('a screen is offered where the agent has one that can go on with this session', () => {
  expect(whyNot(session, agent)).toBeNull();
  expect(whyNot({ ...session, options: { model: 'm', approvalMode: 'plan' } }, agent)).toBeNull();
  expect(
    whyNot({ launch: 0, nativeId: null, options: {} }, { ...agent, screen: { ...SCREEN, resumes: false } }),
  ).toBeNull();
});

test('elsewhere it is said why there is none', () => {
  expect(whyNot(session, { ...agent, screen: null })).toContain('Acme has no screen');
  expect(whyNot({ ...session, nativeId: null }, agent)).toContain('never told the id');
  expect(whyNot(session, { ...agent, screen: { ...SCREEN, resumes: false } })).toContain('cannot go on');
  expect(whyNot({ ...session, options: { systemPrompt: 'x', approvalMode: 'yolo' } }, agent)).toContain(
    'systemPrompt, approvalMode',
  );
});
