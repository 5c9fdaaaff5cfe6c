import { resolve } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import { CapabilityError, ValidationError } from '../contract/errors.ts';
import {
  type AgentSkills,
  EXTENSION_KINDS,
  EXTENSION_SCOPES,
  type ExtensionKind,
  type ExtensionPlace,
  type ExtensionScope,
  type InstalledSkill,
  type PlacedSkill,
  type SkillAddOptions,
  type SkillSelection,
} from '../contract/skills.ts';
import { findNearNames } from '../near-names.ts';
import type { Registry } from '../registry/registry.ts';
import { isExtensionName } from './front-matter.ts';
import { assertStaysInProject, pathIn, placeOf } from './places.ts';
import {
  describeProblem,
  isSamePlace,
  isThere,
  looksLike,
  nameOf,
  placeSkill,
  readPlace,
  readSource,
  removePlaced,
  type SkillSource,
} from './placing.ts';

interface Where {
  kind: ExtensionKind;
  scope: ExtensionScope;
  cwd: string;
  agents?: readonly string[];
}

export class Skills implements AgentSkills {
  readonly #adapters: Registry;
  readonly #env: NodeJS.ProcessEnv;

  constructor(context: { adapters: Registry; env: NodeJS.ProcessEnv }) {
    this.#adapters = context.adapters;
    this.#env = context.env;
  }

  places({ agents, kind, scope, cwd = process.cwd() }: SkillSelection = {}): ExtensionPlace[] {
    return this.#named(agents).flatMap((adapter) =>
      (kind ? [kind] : EXTENSION_KINDS).flatMap((each) =>
        (scope ? [scope] : EXTENSION_SCOPES).flatMap(
          (where) => placeOf(adapter, each, where, { cwd, env: this.#env }) ?? [],
        ),
      ),
    );
  }

  async list(selection: SkillSelection = {}): Promise<InstalledSkill[]> {
    const found = (await Promise.all(this.places(selection).map(readPlace))).flat();
    // In the home folder the user's skills are the project's too.
    const first = new Map(found.toReversed().map((each) => [`${each.agent}\n${each.path}`, each]));
    return found.filter((each) => first.get(`${each.agent}\n${each.path}`) === each);
  }

  async add(source: string, options: SkillAddOptions = {}): Promise<PlacedSkill[]> {
    const where = whereOf(options);
    const found = await readSourceAt(resolve(where.cwd, source), where.kind);
    const name = options.name ?? found.name;
    if (!isExtensionName(name)) throw refusal(`"${name}" is not a name of letters, digits, dot, _ and -`);
    const places = await this.#placesToWrite(where);
    const states = new Map<string, PlacedSkill['status']>();
    for (const place of places) {
      const path = pathIn(place, name);
      await assertStaysInProject(place, where.cwd);
      states.set(path, await judgePlace(found, path, options.force ?? false));
    }
    for (const [path, status] of states) {
      if (status !== 'unchanged') await placeSkill(found, { name, path, replace: status === 'replaced' });
    }
    return places.map(({ agent, kind, scope, folder }) => {
      const path = pathIn({ agent, kind, scope, folder }, name);
      return { agent, kind, scope, name, description: found.description, path, status: states.get(path) ?? 'added' };
    });
  }

  async remove(name: string, options: SkillSelection = {}): Promise<InstalledSkill[]> {
    const where = whereOf(options);
    if (!isExtensionName(name)) throw refusal(`"${name}" is not a name of a ${where.kind}`);
    const places = where.agents
      ? this.#named(where.agents).map((adapter) => this.#placeIn(adapter, where))
      : this.places(where);
    const listed = (await Promise.all(places.map(readPlace))).flat();
    const byPath = listed.filter(({ path }) => nameOf(path) === name);
    const gone = byPath.length > 0 ? byPath : listed.filter((each) => each.name === name);
    if (gone.length === 0) throw await this.#describeMissing(name, where, listed);
    for (const place of places) await assertStaysInProject(place, where.cwd);
    for (const path of new Set(gone.map((each) => each.path))) await removePlaced(path);
    return gone;
  }

  async #placesToWrite(where: Where): Promise<ExtensionPlace[]> {
    if (where.agents) return this.#named(where.agents).map((adapter) => this.#placeIn(adapter, where));
    const places = this.places(where);
    const binaries = await Promise.all(places.map(({ agent }) => this.#adapters.lookup(agent).catch(() => null)));
    const installed = places.filter((_, index) => binaries[index] !== null);
    if (installed.length > 0) return installed;
    const able = places.map(({ agent }) => agent).join(', ');
    const hint = able ? `name an agent: ${able}` : 'no agent that is known here takes one';
    throw refusal(`no agent that is installed here takes a ${where.scope} ${where.kind}`, hint);
  }

  #placeIn(adapter: AgentAdapter, { kind, scope, cwd }: Where): ExtensionPlace {
    const place = placeOf(adapter, kind, scope, { cwd, env: this.#env });
    if (place) return place;
    const able = this.places({ kind, scope, cwd }).map(({ agent }) => agent);
    const message = `agent-mux knows no ${scope} folder of ${adapter.displayName} for a ${kind}`;
    const hint = able.length > 0 ? `agents that have one: ${able.join(', ')}` : 'no agent that is known here has one';
    throw new CapabilityError(adapter.agent, 'extensionFolders', message, hint);
  }

  #named(agents: readonly string[] | undefined): AgentAdapter[] {
    const names = agents ?? this.#adapters.list().map(({ agent }) => agent);
    return [...new Set(names)].map((agent) => this.#adapters.get(agent));
  }

  async #describeMissing(name: string, where: Where, listed: readonly InstalledSkill[]): Promise<ValidationError> {
    const { kind, scope, ...rest } = where;
    const elsewhere = (await this.list(rest)).find(({ path }) => nameOf(path) === name);
    const near = findNearNames(name, [...new Set(listed.map((each) => each.name))]);
    const hint = elsewhere
      ? `there is a ${elsewhere.scope} ${elsewhere.kind} of that name: ${elsewhere.path}`
      : near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : undefined;
    return refusal(`there is no ${scope} ${kind} "${name}"`, hint);
  }
}

function whereOf({ agents, kind = 'skill', scope = 'global', cwd = process.cwd() }: SkillSelection): Where {
  return { kind, scope, cwd: resolve(cwd), ...(agents && agents.length > 0 ? { agents } : {}) };
}

async function readSourceAt(path: string, kind: ExtensionKind): Promise<SkillSource> {
  try {
    return await readSource(path, kind);
  } catch (error) {
    throw refusal(`${path} is no ${kind}: ${describeProblem(error)}`);
  }
}

async function judgePlace(source: SkillSource, path: string, force: boolean): Promise<PlacedSkill['status']> {
  if (!(await isThere(path))) return 'added';
  if (await isSamePlace(source.path, path)) return 'unchanged';
  if (!force) throw refusal(`${path} is already there`, 'give force to replace it, or another name');
  if (await looksLike(source.kind, path)) return 'replaced';
  throw refusal(`${path} is there and is no ${source.kind}: it is left alone`);
}

function refusal(problem: string, hint?: string): ValidationError {
  return new ValidationError('skills', [{ field: '', problem }], { hint });
}
