import { deepStrictEqual, notStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import {
  type AgentAdapter,
  type AgentMode,
  CapabilityError,
  createClient,
  type ResolvedRunOptions,
  type RunOptions,
} from '@agent-mux/core';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { launch, shareKey, visible, visiblePermissions } from '../launch.ts';
import { APPROVAL_CASES, MCP_SECRET, OPTION_CASES, type OptionCase } from '../option-cases.ts';
import { inSandbox } from '../sandbox.ts';
import { optionsFor, plainApproval, type Subject } from '../subject.ts';

/** No option is ever dropped silently: it takes effect, or it is refused before anything is spawned. */
export function optionChecks(subject: Subject): ContractCheck[] {
  return subject.modes.flatMap((mode) =>
    aboutTopic(`the options in mode "${mode.name}"`, (show) => {
      const { capabilities } = mode;
      for (const each of OPTION_CASES) {
        if (!each.declared(capabilities)) {
          show(`${each.name} is refused before anything is spawned`, () => assertRefused(subject, mode, each));
        } else if (!each.byEngine?.(capabilities)) {
          show(`${each.name} takes effect`, () => takesEffect(subject, mode, each));
        }
      }
      for (const each of APPROVAL_CASES) {
        if (each.declared(capabilities)) continue;
        show(`${each.name} is refused before anything is spawned`, () => assertRefused(subject, mode, each));
      }
      show('the more permissive approval modes differ from all others', () => approvalModesDiffer(subject, mode));
      show('nativePermissionMode takes effect or is refused', () => nativeModePasses(subject, mode));
      show('another working directory is another launch', () => cwdCounts(subject, mode));
      show('the secrets of MCP servers are in no argument', () => mcpSecretsStayHidden(subject, mode));
      show('runs with different launches do not share a process', () => sharesOnlyAlike(subject, mode));
    }),
  );
}

async function takesEffect(subject: Subject, mode: AgentMode, each: OptionCase): Promise<void> {
  await inSandbox((place) => {
    const look = (given: Partial<ResolvedRunOptions>) => {
      const launched = launch(subject, mode, optionsFor(subject, mode, place, given));
      return visible(subject, mode, launched, each.mayBeKept);
    };
    const plain = look({});
    let seen: string;
    try {
      seen = look(each.options(place, subject));
    } catch (error) {
      if (each.mayBeRefused && error instanceof CapabilityError) return;
      throw error;
    }
    notStrictEqual(seen, plain, `${each.name} is declared, and changes nothing of the launch`);
    const texts = each.carries?.(place, subject) ?? [];
    const found = texts.length === 0 || texts.some((text) => seen.includes(JSON.stringify(text).slice(1, -1)));
    ok(found, `${each.name} is declared, and the launch holds none of: ${texts.join(', ')}\n${seen}`);
  });
}

async function assertRefused(subject: Subject, mode: AgentMode, each: OptionCase): Promise<void> {
  await inSandbox(async (place) => {
    let launches = 0;
    const watched = watchMethod(subject.adapter, 'buildSpawnArgs', () => {
      launches += 1;
    });
    const client = createClient({ adapters: [watched], env: place.env, runIndex: false });
    const options: RunOptions = {
      agent: subject.adapter.agent,
      prompt: 'say hello',
      mode: mode.name,
      cwd: place.cwd,
      approvalMode: plainApproval(mode),
      ...each.options(place, subject),
    };
    try {
      throws(
        () => client.run(options),
        (error: unknown) => {
          ok(error instanceof CapabilityError, `refused with ${error}, not with a CapabilityError`);
          strictEqual(error.option, each.option, 'the refusal names another option');
          strictEqual(error.agent, subject.adapter.agent);
          return true;
        },
        `${each.name} is not declared, and was not refused`,
      );
    } finally {
      await client.close();
    }
    strictEqual(launches, 0, 'a launch was prepared all the same');
  });
}

/** In `deny` and `plan` the engine answers requests, so these may be started like `prompt`; the others may not. */
async function approvalModesDiffer(subject: Subject, mode: AgentMode): Promise<void> {
  await inSandbox((place) => {
    const { approvalModes } = mode.capabilities;
    const launches = approvalModes.map((approvalMode) => ({
      approvalMode,
      ...launch(subject, mode, optionsFor(subject, mode, place, { approvalMode })),
    }));
    for (const { approvalMode, ...free } of launches) {
      if (approvalMode !== 'yolo' && approvalMode !== 'accept-edits') continue;
      const same = launches.find(
        (other) => other.approvalMode !== approvalMode && visiblePermissions(other) === visiblePermissions(free),
      );
      strictEqual(same?.approvalMode, undefined, `"${approvalMode}" is the same launch as another mode`);
    }
    const asking = launches.find(({ approvalMode }) => approvalMode === 'prompt');
    if (mode.driver !== 'oneshot' || !asking) return;
    const warned = asking.events.some((event) => event.type === 'debug' && event.level === 'warn');
    ok(warned, 'a process per turn cannot ask: it must not declare "prompt", or warn that it does not ask');
  });
}

async function nativeModePasses(subject: Subject, mode: AgentMode): Promise<void> {
  await inSandbox((place) => {
    const plain = visible(subject, mode, launch(subject, mode, optionsFor(subject, mode, place)));
    const options = optionsFor(subject, mode, place, { nativePermissionMode: 'contract-native-mode' });
    try {
      notStrictEqual(visible(subject, mode, launch(subject, mode, options)), plain, 'it changes nothing of the launch');
    } catch (error) {
      if (!(error instanceof CapabilityError)) throw error;
      strictEqual(error.option, 'nativePermissionMode');
    }
  });
}

async function cwdCounts(subject: Subject, mode: AgentMode): Promise<void> {
  await inSandbox((place) => {
    const here = launch(subject, mode, optionsFor(subject, mode, place));
    const there = launch(subject, mode, optionsFor(subject, mode, place, { cwd: place.otherCwd }));
    notStrictEqual(visible(subject, mode, there), visible(subject, mode, here), 'cwd changes nothing of the launch');
  });
}

async function mcpSecretsStayHidden(subject: Subject, mode: AgentMode): Promise<void> {
  await inSandbox((place) => {
    for (const each of OPTION_CASES) {
      if (each.option !== 'mcpServers' || !each.declared(mode.capabilities)) continue;
      try {
        const { spawn } = launch(subject, mode, optionsFor(subject, mode, place, each.options(place, subject)));
        const shown = [spawn.command, ...spawn.args].filter((arg) => arg.includes(MCP_SECRET));
        deepStrictEqual(shown, [], `${each.name}: every user of the machine can read the arguments of a process`);
      } catch (error) {
        if (!(each.mayBeRefused && error instanceof CapabilityError)) throw error;
      }
    }
  });
}

async function sharesOnlyAlike(subject: Subject, mode: AgentMode): Promise<void> {
  await inSandbox((place) => {
    const plain = optionsFor(subject, mode, place);
    const key = shareKey(mode, plain);
    if (key === null) return;
    strictEqual(shareKey(mode, plain), key, 'the key of the same run is another one the second time');
    const spawn = subject.adapter.buildSpawnArgs(plain);
    for (const each of [...OPTION_CASES, ...APPROVAL_CASES]) {
      if (!each.declared(mode.capabilities) || each.byEngine?.(mode.capabilities)) continue;
      const options = optionsFor(subject, mode, place, each.options(place, subject));
      try {
        if (JSON.stringify(subject.adapter.buildSpawnArgs(options)) === JSON.stringify(spawn)) continue;
        notStrictEqual(shareKey(mode, options), key, `${each.name} needs another process, and would get this one`);
      } catch (error) {
        if (!(each.mayBeRefused && error instanceof CapabilityError)) throw error;
      }
    }
    const env = { CONTRACT_VARIABLE: 'x' };
    notStrictEqual(shareKey(mode, { ...plain, env }), key, 'env needs another process, and would get this one');
  });
}

/** The same adapter with one method observed. Its private fields stay reachable, unlike with inheritance. */
function watchMethod(adapter: AgentAdapter, method: keyof AgentAdapter, onCall: () => void): AgentAdapter {
  return new Proxy(adapter, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (key === method) onCall();
        return Reflect.apply(value, target, args);
      };
    },
  });
}
