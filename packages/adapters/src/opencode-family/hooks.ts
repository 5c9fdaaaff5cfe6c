import { join } from 'node:path';
import type { HookSpec, HookState } from '@agent-mux/core';
import { hookPluginSource, installedCommand, readHookCall } from '../shared/hooks/plugin.ts';
import type { FamilyDialect } from './dialect.ts';

/** By the names of the hooks and events that a plugin receives. */
const STATES: Readonly<Record<string, HookState>> = {
  'chat.message': 'active',
  'tool.execute.before': 'active',
  'permission.asked': 'blocked',
  'permission.replied': 'active',
  'question.asked': 'waiting_input',
  'question.replied': 'active',
  'question.rejected': 'active',
  'session.idle': 'idle',
  dispose: 'exited',
};
const EVENTS = ['session.created', ...Object.keys(STATES)];
const PASSED_ON = EVENTS.filter((event) => /^(?:permission|question)\./.test(event));

const FILE = 'agent-mux-hooks.js';
/** A configuration folder for one run, in addition to those of the user. */
const RUN_FOLDER = 'hooks';

/**
 * Its start waits for npm in every configuration folder, including the user's own. Without a network npm waits 10 s and
 * then 60 s between its tries: with these an offline start takes 17 s instead of 84 (seen with opencode 1.18.33).
 */
const SHORT_WAITS = { npm_config_fetch_retry_mintimeout: '100', npm_config_fetch_retry_maxtimeout: '1000' };

/** Hooks are functions of a plugin. Seen firing without a terminal with opencode 1.18.33 and kilo 7.7.7. */
export function familyHooks({ agent, displayName, envPrefix, pluginPackage }: FamilyDialect, folder: string): HookSpec {
  const text = (commandOf: (event: string) => string) => hookPluginSource(agent, EVENTS, commandOf) + PLUGIN;
  return {
    events: EVENTS.map((name) => ({ name })),
    file: { shape: 'plugin', path: `${folder}/plugins/${FILE}`, text: (name) => text(installedCommand(name)) },
    // With a plugin, it waits for npm in every configuration folder, including the user's own (1.18.33).
    trust: `${displayName} installs ${pluginPackage} before it loads a plugin: its first start here needs the npm registry. Offline it waits more than a minute, unless npm_config_fetch_retry_maxtimeout=1000 is set.`,
    read: (event, payload) => readHookCall(STATES, event, payload),
    forRun: (commandOf, scratchDir) => ({
      env: { [`${envPrefix}_CONFIG_DIR`]: join(scratchDir, RUN_FOLDER) },
      envDefaults: SHORT_WAITS,
      files: {
        [`${RUN_FOLDER}/plugins/${FILE}`]: text(commandOf),
        // Its start waits for an npm install in a folder with a plugin, unless these files say that it was done.
        [`${RUN_FOLDER}/package-lock.json`]: JSON.stringify({
          packages: { '': { dependencies: { [pluginPackage]: '*' } } },
        }),
        [`${RUN_FOLDER}/node_modules/.keep`]: '',
      },
    }),
  };
}

/** Sessions of subagents are not reported: the user waits for their parent. */
const PLUGIN = `
const PASSED_ON = new Set(${JSON.stringify(PASSED_ON)});

export const AgentMux = async ({ directory }) => {
  const children = new Set();
  const sessions = new Map();
  const report = (event, id, more) => {
    if (!id || children.has(id)) return;
    if (!sessions.has(id)) sessions.set(id, {});
    send(event, { session_id: id, cwd: directory, ...more });
  };
  const heard = ({ type, properties = {} }) => {
    const { sessionID, info, part } = properties;
    if (info?.parentID && type.startsWith('session.')) children.add(info.id);
    if (type === 'session.created') report(type, info.id, {});
    else if (PASSED_ON.has(type)) report(type, sessionID, {});
    else if (type === 'session.idle') report(type, sessionID, { last_assistant_message: sessions.get(sessionID)?.answer });
    else if (type === 'message.part.updated' && part.type === 'text' && part.time?.end && sessions.has(part.sessionID))
      sessions.get(part.sessionID).answer = short(part.text);
  };
  const quietly = (work) => async (...given) => {
    try {
      work(...given);
    } catch {}
  };
  return {
    event: quietly(({ event }) => heard(event)),
    'chat.message': quietly(({ sessionID }, { message, parts }) => {
      const { providerID, modelID } = message.model ?? {};
      const said = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic).map(({ text }) => text);
      const model = modelID && providerID + '/' + modelID;
      report('chat.message', sessionID, { prompt: short(said.join('\\n')), model });
    }),
    'tool.execute.before': quietly(({ sessionID, tool }) => report('tool.execute.before', sessionID, { tool_name: tool })),
    dispose: quietly(() => {
      for (const id of sessions.keys()) report('dispose', id, {});
    }),
  };
};
`;
