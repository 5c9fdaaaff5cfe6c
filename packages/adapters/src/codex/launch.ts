import { join } from 'node:path';
import { flag, isImage, type ResolvedRunOptions, type SpawnArgs, wholeUuid } from '@agent-mux/core';
import type { Json } from '../shared/json.ts';
import { promptText } from '../shared/prompt.ts';
import { BOUNDED_RETRIES, configOverrides } from './config.ts';
import { permissionsOf } from './permissions.ts';
import { inlineToml } from './toml.ts';

export function launchCodex(options: ResolvedRunOptions): SpawnArgs {
  const common = {
    command: 'codex',
    env: { ...options.env },
    cwd: options.cwd,
    usePty: false,
  };
  // Everything else is sent in the conversation.
  if (options.mode === 'app-server') return { ...common, args: ['app-server', '-c', BOUNDED_RETRIES] };
  const files: Record<string, string> = {};
  const args = execArgs(options, files);
  return {
    ...common,
    args,
    stdin: promptText(options.prompt, options.attachments),
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
}

function execArgs(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const settings: Json = {
    ...configOverrides(options),
    ...instructions(options, files),
    // Last: nothing else may loosen them.
    ...execPermissions(options),
  };
  return [
    'exec',
    ...session(options),
    '--json',
    '--skip-git-repo-check',
    ...(options.noSession ? ['--ephemeral'] : []),
    ...flag('--model', options.model),
    ...outputSchema(options, files),
    '-c',
    BOUNDED_RETRIES,
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${inlineToml(value)}`]),
    ...options.attachments.filter(({ mimeType }) => isImage(mimeType)).map(({ path }) => `--image=${path}`),
    '--',
    '-',
  ];
}

/** By exact id, never the newest; Codex would accept a name too. */
function session({ sessionId, forkSessionId }: ResolvedRunOptions): string[] {
  const id = wholeUuid('sessionId', sessionId) ?? wholeUuid('forkSessionId', forkSessionId);
  return id === undefined ? [] : [sessionId ? 'resume' : 'fork', id];
}

/** This mode cannot ask. Passed as configuration, because `resume` and `fork` have no flag for the sandbox. */
function execPermissions(options: ResolvedRunOptions): Json {
  const { approvalPolicy, sandbox } = permissionsOf(options);
  return {
    approval_policy: (options.nativePermissionMode ? approvalPolicy : null) ?? 'never',
    ...(sandbox === null ? {} : { sandbox_mode: sandbox }),
  };
}

function instructions(
  { systemPrompt, systemPromptMode, scratchDir }: ResolvedRunOptions,
  files: Record<string, string>,
): Json {
  if (!systemPrompt || systemPromptMode === 'prepend') return {};
  if (systemPromptMode === 'append') return { developer_instructions: systemPrompt };
  files['instructions.md'] = systemPrompt;
  return { model_instructions_file: join(scratchDir, 'instructions.md') };
}

function outputSchema(
  { outputSchema: schema, scratchDir }: ResolvedRunOptions,
  files: Record<string, string>,
): string[] {
  if (!schema) return [];
  files['output-schema.json'] = JSON.stringify(schema);
  return flag('--output-schema', join(scratchDir, 'output-schema.json'));
}
