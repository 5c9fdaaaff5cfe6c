import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import type { ResolvedRunOptions, RunOptions } from '../../contract/options.ts';
import type { ClientOptions } from '../../contract/run.ts';
import { gateOptions, modeOf, modesOf } from './gate.ts';
import { applyDefaults, resolveOptions } from './options.ts';

export interface RunSettings extends Pick<ClientOptions, 'profiles' | 'defaults' | 'retryPolicy' | 'debug'> {
  adapterOf(agent: string): AgentAdapter;
}

export interface ResolvedRun {
  adapter: AgentAdapter;
  mode: AgentMode;
  options: ResolvedRunOptions;
}

/** Resolves and checks the caller's options before anything starts. */
export function resolveRun(input: RunOptions, settings: RunSettings): ResolvedRun {
  const { adapterOf, profiles = {}, defaults = {}, retryPolicy, debug } = settings;
  const resolved = resolveOptions(input, {
    profiles,
    defaults: { ...defaults, ...(debug === undefined ? {} : { debug }), ...(retryPolicy ? { retryPolicy } : {}) },
    defaultMode: (agent) => modesOf(adapterOf(agent))[0]!.name,
  });
  const adapter = adapterOf(resolved.agent);
  const options = applyDefaults(adapter, resolved);
  const mode = modeOf(adapter, options.mode);
  gateOptions(adapter, mode, options);
  return { adapter, mode, options: withSystemPrefix(mode, options) };
}

/** If the capability is `prefix`, puts the system prompt before the first prompt, clearly delimited. */
function withSystemPrefix(mode: AgentMode, options: ResolvedRunOptions): ResolvedRunOptions {
  if (options.systemPrompt === undefined || mode.capabilities.systemPrompt[options.systemPromptMode] !== 'prefix')
    return options;
  const prompt = `<system-instructions>\n${options.systemPrompt}\n</system-instructions>\n\n${options.prompt}`;
  return { ...options, prompt, systemPrompt: undefined };
}
