import { join } from 'node:path';
import { CapabilityError, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { gatePolicy, gateSource } from './gate.ts';

/** A single argument may have 128 KiB on Linux; longer texts go through a file, which these options read too. */
const MAX_ARGUMENT_BYTES = 100_000;

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

function systemPrompt(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const text = options.systemPrompt;
  if (!text) return [];
  const name = options.systemPromptMode === 'replace' ? '--system-prompt' : '--append-system-prompt';
  if (Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES || options.invocation.mode !== 'local') return [name, text];
  files['system-prompt.md'] = text;
  return [name, join(options.scratchDir, 'system-prompt.md')];
}

function gate(options: ResolvedRunOptions, canAsk: boolean, files: Record<string, string>): string[] {
  if (options.nativePermissionMode) {
    throw new CapabilityError('pi', 'nativePermissionMode', 'pi has no permission modes of its own');
  }
  const policy = gatePolicy(options.approvalMode, canAsk, options.allowedTools);
  if (!policy) return [];
  if (options.invocation.mode !== 'local') {
    throw new CapabilityError(
      'pi',
      'approvalMode',
      `pi asks for approval through a file on this machine, which it cannot see in ${options.invocation.mode}`,
      'use approvalMode "yolo" there',
    );
  }
  files['gate.ts'] = gateSource(policy);
  return ['-e', join(options.scratchDir, 'gate.ts')];
}

function flag(name: string, value: string | undefined): string[] {
  return value ? [name, value] : [];
}
