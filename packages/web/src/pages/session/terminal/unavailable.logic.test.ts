import { expect, test } from 'vitest';
import { unavailableReason } from './unavailable.logic.ts';

const SCREEN = { resumes: true, takesModel: true, takesPrompt: true, approvalModes: ['plan'] };
const agent = { displayName: 'Acme', screen: SCREEN };
const session = { launch: 1, agentSessionId: 'n1', options: {} };

test('offers a terminal if the agent has one that can resume the session', () => {
  expect(unavailableReason(session, agent)).toBeNull();
  expect(unavailableReason({ ...session, options: { model: 'm', approvalMode: 'plan' } }, agent)).toBeNull();
  expect(
    unavailableReason(
      { launch: 0, agentSessionId: null, options: {} },
      { ...agent, screen: { ...SCREEN, resumes: false } },
    ),
  ).toBeNull();
});

test('explains why a terminal is unavailable', () => {
  expect(unavailableReason(session, { ...agent, screen: null })).toContain('Acme has no terminal UI');
  expect(unavailableReason({ ...session, agentSessionId: null }, agent)).toContain('never reported a session id');
  expect(unavailableReason(session, { ...agent, screen: { ...SCREEN, resumes: false } })).toContain('cannot resume');
  expect(unavailableReason({ ...session, options: { systemPrompt: 'x', approvalMode: 'yolo' } }, agent)).toContain(
    'systemPrompt, approvalMode',
  );
});
