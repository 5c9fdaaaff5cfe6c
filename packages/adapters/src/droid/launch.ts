import { join } from 'node:path';
import { CapabilityError, flag, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { withFiles } from '../shared/prompt.ts';
import { execPermissions, GUARD_SETTINGS } from './permissions.ts';

const JSONRPC = ['--input-format', 'stream-jsonrpc', '--output-format', 'stream-jsonrpc'];

export function launchDroid(options: ResolvedRunOptions): SpawnArgs {
  const live = options.mode === 'stream-jsonrpc';
  const files: Record<string, string> = {};
  const env: Record<string, string> = { FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false', ...options.env };
  // Also for `yolo`, since a run may leave that mode.
  if (live && !options.nativePermissionMode) {
    files['settings.json'] = GUARD_SETTINGS;
    env.FACTORY_RUNTIME_SETTINGS_PATH = join(options.scratchDir, 'settings.json');
  }
  const args = ['exec', ...(live ? JSONRPC : execArgs(options)), ...systemPrompt(options, files)];
  return {
    command: 'droid',
    args,
    env,
    cwd: options.cwd,
    usePty: false,
    ...(live ? {} : { stdin: withFiles(options.prompt, options.attachments) }),
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}

function execArgs(options: ResolvedRunOptions): string[] {
  const { model, thinkingEffort } = options;
  return [
    '--output-format',
    'stream-json',
    ...flag('--model', model),
    ...flag('--reasoning-effort', thinkingEffort),
    ...execPermissions(options),
  ];
}

/** Also in JSON-RPC and for a resumed session. One that replaces Droid's own is set when a session is created. */
function systemPrompt(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const { systemPrompt: text, systemPromptMode, sessionId, forkSessionId, scratchDir } = options;
  if (!text || systemPromptMode === 'prepend') return [];
  if (systemPromptMode === 'replace') {
    if (!sessionId && !forkSessionId) return [];
    throw new CapabilityError(
      options.agent,
      'systemPromptMode',
      'Droid replaces its system prompt only in a new session',
      'use systemPromptMode "append", or start a new session',
    );
  }
  files['system-prompt.md'] = text;
  return flag('--append-system-prompt-file', join(scratchDir, 'system-prompt.md'));
}
