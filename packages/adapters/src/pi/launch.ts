import { join } from 'node:path';
import {
  argument,
  CapabilityError,
  flagApart,
  type ResolvedRunOptions,
  type SpawnArgs,
  withoutSeparator,
} from '@agent-mux/core';
import { session, systemPrompt } from '../pi-family/index.ts';
import { gatePolicy, gateSource } from './gate.ts';

export function launchPi(options: ResolvedRunOptions): SpawnArgs {
  const rpc = options.mode === 'rpc';
  const files: Record<string, string> = {};
  const args = [
    '--mode',
    rpc ? 'rpc' : 'json',
    // It does not support `=`.
    ...flagApart('--model', 'model', options.model),
    ...flagApart('--thinking', 'thinkingEffort', options.thinkingEffort),
    // `--session` needs an existing one; `--session-id` would start a new conversation under an unknown id.
    ...session('--session', options),
    ...systemPrompt(options, files),
    ...tools('--tools', 'allowedTools', options.allowedTools),
    ...tools('--exclude-tools', 'deniedTools', options.deniedTools),
    ...(options.skills ?? []).flatMap((path) => flagApart('--skill', 'skills', path)),
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

function tools(name: string, option: string, names: readonly string[] | undefined): string[] {
  const list = names?.flatMap((tool) => argument(option, withoutSeparator(option, tool, ',')));
  return flagApart(name, option, list?.join(','));
}

function gate(options: ResolvedRunOptions, canAsk: boolean, files: Record<string, string>): string[] {
  if (options.nativePermissionMode) {
    throw new CapabilityError('pi', 'nativePermissionMode', 'pi has no native permission modes');
  }
  const policy = gatePolicy(options.approvalMode, canAsk, options.allowedTools);
  if (!policy) return [];
  files['gate.ts'] = gateSource(policy);
  return ['-e', join(options.scratchDir, 'gate.ts')];
}
