import { join } from 'node:path';
import { CapabilityError, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { flag, systemPrompt } from '../pi-family/index.ts';
import { gatePolicy, gateSource } from './gate.ts';

export function launchPi(options: ResolvedRunOptions): SpawnArgs {
  const rpc = options.mode === 'rpc';
  const files: Record<string, string> = {};
  const args = [
    '--mode',
    rpc ? 'rpc' : 'json',
    ...flag('--model', options.model),
    ...flag('--thinking', options.thinkingEffort),
    ...session(options),
    ...systemPrompt(options, files),
    ...flag('--tools', options.allowedTools?.join(',')),
    ...flag('--exclude-tools', options.deniedTools?.join(',')),
    ...(options.skills ?? []).flatMap((path) => ['--skill', path]),
    ...gate(options, rpc, files),
    ...(rpc ? [] : options.attachments.map(({ path }) => `@${path}`)),
  ];
  return {
    command: 'pi',
    args,
    env: { ...options.env },
    cwd: options.cwd,
    usePty: false,
    ...(rpc ? {} : { stdin: options.prompt }),
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}

/** `--session` takes what exists; `--session-id` would begin a new conversation under an unknown id. */
function session(options: ResolvedRunOptions): string[] {
  if (options.noSession) return ['--no-session'];
  if (options.forkSessionId) return ['--fork', options.forkSessionId];
  return flag('--session', options.sessionId);
}

function gate(options: ResolvedRunOptions, canAsk: boolean, files: Record<string, string>): string[] {
  if (options.nativePermissionMode) {
    throw new CapabilityError('pi', 'nativePermissionMode', 'pi has no permission modes of its own');
  }
  const policy = gatePolicy(options.approvalMode, canAsk, options.allowedTools);
  if (!policy) return [];
  files['gate.ts'] = gateSource(policy);
  return ['-e', join(options.scratchDir, 'gate.ts')];
}
