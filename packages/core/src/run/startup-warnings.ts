import { compareVersions } from '../binaries/version.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { Registry } from '../registry/registry.ts';

/** Warnings for `debug` events, collected alongside the run so that they do not delay it. */
export async function* startupWarnings(
  registry: Registry,
  adapter: AgentAdapter,
  options: Pick<ResolvedRunOptions, 'invocation'>,
  askVersion: () => Promise<string | null>,
): AsyncGenerator<EventBody> {
  const { agent, displayName } = adapter;
  const replacedBy = registry.replacedBy(agent);
  if (replacedBy !== undefined) {
    yield {
      type: 'debug',
      level: 'warn',
      code: 'built_in_overridden',
      message: `the built-in agent "${agent}" was replaced by ${replacedBy}`,
    };
  }
  // The local version says nothing about a remote agent.
  if (options.invocation.mode !== 'local') return;
  const { verifiedVersions, minVersion } = adapter;
  if (!verifiedVersions && minVersion === undefined) return;
  // Another adapter may have taken the name since the run started.
  const version = registry.has(agent) && registry.get(agent) === adapter ? await askVersion() : null;
  if (version === null) return;
  if (minVersion !== undefined && compareVersions(version, minVersion) < 0) {
    yield {
      type: 'debug',
      level: 'warn',
      code: 'version_too_old',
      message: `${displayName} ${version} is older than ${minVersion}`,
    };
  } else if (verifiedVersions && !verifiedVersions.includes(version)) {
    const message = `this adapter was verified with ${displayName} ${verifiedVersions.join(', ')}, but ${version} is installed; run "amux verify ${agent}" to check it`;
    yield { type: 'debug', level: 'warn', code: 'version_unverified', message };
  }
}
