import type { AgentAdapter } from '../contract/adapter.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import { AgentMuxError } from '../contract/errors.ts';

/** No adapter has this name; says which ones are near it. */
export function unknownAgent(agent: string, known: readonly string[]): AgentMuxError {
  const near = nearNames(agent, known);
  const list = known.length > 0 ? `Known agents: ${[...known].sort().join(', ')}.` : 'No agent is registered.';
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : list;
  return new AgentMuxError('UNKNOWN_AGENT', `There is no agent "${agent}"`, { agent, hint });
}

/** The same of a run profile, as one line. */
export function unknownProfile(profile: string, known: readonly string[]): string {
  const near = nearNames(profile, known).map((name) => `"${name}"`);
  if (near.length > 0) return `no profile "${profile}"; did you mean ${near.join(' or ')}?`;
  const others = known.length > 0 ? `there are: ${[...known].sort().join(', ')}` : 'none is configured';
  return `no profile "${profile}"; ${others}`;
}

/** The agent's command is not on this machine; says how to get it here. */
export function notInstalled(adapter: AgentAdapter, platform: NodeJS.Platform = process.platform): AgentMuxError {
  const ways = installMethodsFor(adapter, platform)
    .map((method) => method.command)
    .filter(Boolean);
  const hint =
    ways.length > 0
      ? `Install it with: ${ways.join('   or: ')}`
      : `Install it so that "${adapter.cliCommand}" is on PATH.`;
  const message = `${adapter.displayName} is not installed: "${adapter.cliCommand}" was not found`;
  return new AgentMuxError('AGENT_NOT_INSTALLED', message, { agent: adapter.agent, hint });
}

export function installMethodsFor(adapter: AgentAdapter, platform: NodeJS.Platform): InstallMethod[] {
  const methods = adapter.installMethods ?? [];
  return methods.filter(({ platforms }) => platforms === 'all' || platforms.some((name) => name === platform));
}

/** At most three names that differ from the wanted one by a slip, or begin with it; the nearest first. */
export function nearNames(wanted: string, known: readonly string[]): string[] {
  const lower = wanted.toLowerCase();
  const slips = Math.max(1, Math.floor(lower.length / 3));
  return known
    .map((name) => ({ name, distance: distanceOf(lower, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= slips)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Letters to insert, delete, replace or swap with their neighbour; 1 where one name begins with the other. */
function distanceOf(a: string, b: string): number {
  if (a.length > 1 && b.length > 1 && (a.startsWith(b) || b.startsWith(a))) return a === b ? 0 : 1;
  const width = b.length + 1;
  const cells = new Uint16Array((a.length + 1) * width);
  const cell = (i: number, j: number) => cells[i * width + j] ?? 0;
  for (let i = 0; i <= a.length; i += 1) {
    for (let j = 0; j <= b.length; j += 1) {
      let least =
        i === 0 || j === 0
          ? i + j
          : Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, cell(i - 2, j - 2) + 1);
      cells[i * width + j] = least;
    }
  }
  return cell(a.length, b.length);
}
