import { createHash } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { DaemonSettingsView, SettingsPatch } from '@agent-mux/api/schemas';
import {
  AgentMuxError,
  asStorageError,
  type ConfigFault,
  editDaemonConfig,
  isRecord,
  loadConfig,
  messageOf,
  parseDocument,
  userConfigFile,
} from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { hoursInWords } from '../limits/days.ts';
import { type NotifySettings, readNotifySettings, type Target } from '../notify/notify-settings.ts';
import { showTarget } from '../notify/send.ts';
import { changesOf } from './changes-of.ts';
import { removeLeftovers, removeSecrets, writeSecrets } from './secret-files.ts';
import { type DaemonSettings, readSettings } from './settings.ts';

/** What the file calls them, and where they are here. */
const FIELDS = {
  port: 'port',
  idlePark: 'idleParkMs',
  maxLiveSessions: 'maxLiveSessions',
  maxRuntime: 'maxRuntimeMs',
  handshakeTimeout: 'handshakeMs',
  maxOutputBytes: 'maxOutputBytes',
  inlineChars: 'inlineChars',
  storeActivity: 'storeActivity',
  keep: 'keepMs',
  keepBytes: 'keepBytes',
  onLimit: 'onLimit',
  limits: 'limits',
  budgets: 'budgets',
  claudeUsage: 'claudeUsage',
} as const satisfies Record<string, keyof DaemonSettings>;

export interface SettingsService {
  view(): DaemonSettingsView;
  /** Into the file, and then at once. */
  change(patch: SettingsPatch): Promise<DaemonSettingsView>;
}

export interface KeptSettings extends SettingsService {
  /** Always the same object: whoever looks sees what counts now. */
  readonly settings: DaemonSettings;
  readonly notify: NotifySettings;
  /** What is wrong with the targets and rules of the file. */
  readonly notifyProblems: readonly string[];
  /** Removes what a daemon has left that was killed in the middle of a change. */
  removeLeftovers(): Promise<void>;
  /** Called after each change. */
  onChange(listener: () => void): void;
}

interface Given {
  env: NodeJS.ProcessEnv;
  /** A folder of no project. */
  home: string;
  /** Over whatever the file says. */
  fixed?: Partial<DaemonSettings> | undefined;
  log(line: string): void;
}

/** How the daemon is set up: as the file said when it was started, and as it was changed since. */
export function openSettings({ env, home, fixed = {}, log }: Given): KeptSettings {
  const file = userConfigFile(env);
  const first = readFile();
  for (const fault of first.faults) log(`${tellFault(fault)}; the default counts`);
  for (const fault of first.notify.faults) log(`${tellFault(fault)}; it is left out`);
  const settings: DaemonSettings = { ...first.settings, ...fixed };
  let { notify } = first;
  let work: Promise<unknown> = Promise.resolve();
  const listeners: (() => void)[] = [];
  const overridden = Object.entries(FIELDS).flatMap(([name, key]) => (Object.hasOwn(fixed, key) ? [name] : []));

  function readFile() {
    const config = loadConfig({ env, cwd: home });
    const ofFile = config.faults.filter((fault) => fault.file === file);
    const value = isRecord(config.daemon?.value) ? config.daemon.value : {};
    return { ...readSettings(config), notify: readNotifySettings(config), ofFile, value };
  }

  function view(): DaemonSettingsView {
    const now = readFile();
    const isBroken = now.faults.length + now.ofFile.length > 0;
    const differs = ([name, key]: [string, keyof DaemonSettings]) =>
      !overridden.includes(name) && !isDeepStrictEqual(now.settings[key], settings[key]);
    const pending = isBroken ? [] : Object.entries(FIELDS).flatMap((field) => (differs(field) ? [field[0]] : []));
    if (!isBroken && !isDeepStrictEqual(now.notify.settings, notify.settings)) pending.push('notify');
    const { keepMs, keepBytes, storeActivity, idleParkMs, maxLiveSessions, onLimit, limits, budgets } = settings;
    const { hours, maxPerDay, staggerMs, message } = limits;
    return {
      ...{ file, revision: revisionOf(now.value), pending, overridden: [...overridden] },
      ...{ keepMs, keepBytes, storeActivity, idleParkMs, maxLiveSessions, onLimit },
      limits: { hours: hours && hoursInWords(hours), maxContinuationsPerDay: maxPerDay, staggerMs, message },
      budgets: [...budgets],
      notify: {
        targets: [...notify.settings.targets.values()].map(viewTarget),
        rules: [...notify.settings.written],
      },
      problems: [...now.ofFile, ...now.faults, ...now.notify.faults].map(tellFault),
    };
  }

  /** What stands in the file already and is not understood would be lost, or counts for nothing: that is mended first. */
  function refuseOverFaults({ notify: wish }: SettingsPatch): void {
    assertReadable(file);
    const now = readFile();
    const lost = now.notify.faults.filter(
      ({ field }) => wish?.rules !== undefined && /^daemon\.notify(\.rules|$)/.test(field),
    );
    const [fault] = [...now.ofFile.filter(({ field }) => field === ''), ...now.faults, ...lost];
    if (fault)
      throw new DaemonError('CONFIG_ERROR', `${tellFault(fault)}: nothing was changed`, {
        hint: 'mend that line of the file first',
      });
  }

  function check(after: Readonly<Record<string, unknown>>, patch: SettingsPatch): void {
    const { document } = parseDocument(file, JSON.stringify({ daemon: after }));
    const section = { daemon: { value: after, document } };
    const known = new Set(readFile().notify.faults.map(keyOf));
    const ofNotify = readNotifySettings(section).faults.filter((fault) => !known.has(keyOf(fault)));
    const faults = [...readSettings(section).faults, ...(patch.notify === undefined ? [] : ofNotify)];
    if (faults.length === 0) return;
    const issues = faults.map(({ field, problem }) => ({ field: field.replace(/^daemon\.?/, ''), problem }));
    const told = issues.map(({ field, problem }) => `${field} ${problem}`.trim());
    throw new DaemonError('VALIDATION_ERROR', told.join('; '), { issues, hint: 'nothing was changed' });
  }

  async function change(patch: SettingsPatch): Promise<DaemonSettingsView> {
    const decided = overridden.find((name) =>
      Object.entries(patch).some(([key, value]) => key === name && value !== undefined),
    );
    if (decided !== undefined)
      throw new DaemonError(
        'CONFIG_ERROR',
        `daemon.${decided} is set by how the daemon was started, whatever the file says`,
        {
          hint: 'start it without that flag or variable',
        },
      );
    refuseOverFaults(patch);
    const before = secretFilesOf(notify.settings);
    const written = await writeSecrets(patch, env);
    try {
      await editDaemonConfig(
        (current) => {
          if (patch.revision !== undefined && patch.revision !== revisionOf(current))
            throw new DaemonError('CONFIG_CHANGED', `${file} was changed by somebody else meanwhile`, {
              hint: 'look at what it says now, and change it then',
            });
          return changesOf(patch, current, written);
        },
        { env, check: (after) => check(after, patch) },
      );
    } catch (error) {
      await removeSecrets(written.values(), env);
      if (error instanceof AgentMuxError && error.cause instanceof DaemonError) throw error.cause;
      throw error;
    }
    apply();
    const after = secretFilesOf(notify.settings);
    await removeSecrets(
      [...before].filter((secret) => !after.has(secret)),
      env,
    );
    return view();
  }

  function apply(): void {
    assertReadable(file);
    const now = readFile();
    // What counts now stays: the defaults of a file that cannot be read may store what must not be stored.
    if (now.ofFile.some(({ field }) => field === '')) return;
    // Whoever listens there has it open.
    Object.assign(settings, now.settings, { port: settings.port }, fixed);
    notify = now.notify;
    for (const listener of listeners) listener();
  }

  return {
    settings,
    get notify() {
      return notify.settings;
    },
    get notifyProblems() {
      return notify.faults.map(tellFault);
    },
    view,
    change(patch) {
      const mine = work.then(() => change(patch));
      work = mine.catch(() => {});
      return mine;
    },
    async removeLeftovers() {
      const now = readFile();
      // A file that is not understood may refer to any of them.
      if (now.ofFile.length + now.notify.faults.length > 0) return;
      try {
        const removed = await removeLeftovers(secretFilesOf(now.notify.settings), env);
        if (removed.length > 0) log(`removed ${removed.length} files of a change of settings that was not finished`);
      } catch (error) {
        log(`files of an unfinished change of settings cannot be removed: ${messageOf(error)}`);
      }
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Throws STORAGE_ERROR where the disk or this process cannot open it at the moment; that is not a fault of the file. */
function assertReadable(file: string): void {
  try {
    closeSync(openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  } catch (error) {
    const failure = asStorageError(error, file);
    if (failure) throw failure;
  }
}

function viewTarget(target: Target): DaemonSettingsView['notify']['targets'][number] {
  const { secretFile = null, secretEnv = null } = target.type === 'webhook' ? target : {};
  return { ...showTarget(target), secretFile, secretEnv };
}

function secretFilesOf({ targets }: NotifySettings): Set<string> {
  return new Set(
    [...targets.values()].flatMap((target) => (target.type === 'webhook' ? (target.secretFile ?? []) : [])),
  );
}

function revisionOf(daemon: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(daemon)).digest('hex').slice(0, 16);
}

function keyOf({ field, problem }: ConfigFault): string {
  return `${field} ${problem}`;
}

function tellFault({ file, line, field, problem }: ConfigFault): string {
  return `${file}:${line}: ${field} ${problem}`;
}
