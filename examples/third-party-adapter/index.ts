import { defineAdapter, flag, NO_CAPABILITIES, parseJsonLine } from '@agent-mux/core';

export default defineAdapter({
  agent: 'acme',
  displayName: 'Acme',
  cliCommand: 'acme',
  capabilities: {
    ...NO_CAPABILITIES,
    supportsTextStreaming: true,
    supportsModelSelection: true,
    approvalModes: ['deny', 'yolo'],
  },
  launch({ prompt, model, approvalMode, nativePermissionMode }) {
    const permissions = nativePermissionMode ?? (approvalMode === 'yolo' ? 'all' : 'read-only');
    return { args: ['--json', `--permissions=${permissions}`, ...flag('--model', model)], stdin: prompt };
  },
  parse(line) {
    const message = parseJsonLine(line);
    const word = typeof message === 'object' && message !== null && 'word' in message ? message.word : undefined;
    return typeof word === 'string' ? { type: 'text_delta', delta: word } : null;
  },
});
