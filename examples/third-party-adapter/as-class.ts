import { BaseAgentAdapter, type EventBody, flag, NO_CAPABILITIES, type ResolvedRunOptions } from '@agent-mux/core';

class AcmeAdapter extends BaseAgentAdapter {
  readonly agent = 'acme';
  readonly displayName = 'Acme';
  readonly cliCommand = 'acme';
  override readonly capabilities = {
    ...NO_CAPABILITIES,
    supportsTextStreaming: true,
    supportsModelSelection: true,
    approvalModes: ['deny', 'yolo'] as const,
  };

  buildSpawnArgs({ prompt, model, approvalMode, nativePermissionMode, cwd }: ResolvedRunOptions) {
    const permissions = nativePermissionMode ?? (approvalMode === 'yolo' ? 'all' : 'read-only');
    const args = ['--json', `--permissions=${permissions}`, ...flag('--model', model)];
    return { command: 'acme', args, env: {}, cwd, usePty: false, stdin: prompt };
  }

  parseEvent(line: string): EventBody | null {
    const message = this.parseJsonLine(line);
    const word = typeof message === 'object' && message !== null && 'word' in message ? message.word : undefined;
    return typeof word === 'string' ? { type: 'text_delta', delta: word } : null;
  }
}

export default new AcmeAdapter();
