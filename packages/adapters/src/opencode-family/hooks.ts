import { join } from 'node:path';
import type { HookFacet, HookState } from '@agent-mux/core';
import { installedCommand, readTold, tellSource } from '../shared/hooks/plugin.ts';
import type { FamilyDialect } from './dialect.ts';

/** By the names of the hooks and events that a plugin is handed. */
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
/** A folder of configuration for one run, beside those of the user. */
const RUN_FOLDER = 'hooks';

/**
 * Its start waits for npm in every folder of configuration, also the user's own. Without a network npm waits 10 s and then
 * 60 s between its tries: with these a start offline takes 17 s in place of 84 (seen with opencode 1.18.33).
 */
const SHORT_WAITS = { npm_config_fetch_retry_mintimeout: '100', npm_config_fetch_retry_maxtimeout: '1000' };

/** Hooks are functions of a plugin. Seen firing without a terminal with opencode 1.18.33 and kilo 7.7.7. */
export function familyHooks(
  { agent, displayName, envPrefix, pluginPackage }: FamilyDialect,
  folder: string,
): HookFacet {
  const text = (commandOf: (event: string) => string) => tellSource(agent, EVENTS, commandOf) + PLUGIN;
  return {
    events: EVENTS.map((name) => ({ name })),
    file: { shape: 'plugin', path: `${folder}/plugins/${FILE}`, text: (name) => text(installedCommand(name)) },
    // It waits for npm in every folder of its configuration, the user's own too, as soon as there is one plugin (1.18.33).
    trust: `${displayName} installs ${pluginPackage} before it loads a plugin: its first start here needs the npm registry. Offline it waits more than a minute, unless npm_config_fetch_retry_maxtimeout=1000 is set.`,
    read: (event, payload) => readTold(STATES, event, payload),
    forRun: (commandOf, scratchDir) => ({
      env: { [`${envPrefix}_CONFIG_DIR`]: join(scratchDir, RUN_FOLDER) },
      envDefaults: SHORT_WAITS,
      files: {
        [`${RUN_FOLDER}/plugins/${FILE}`]: text(commandOf),
        // Where a plugin is, its start waits for an npm install there, unless these say that it was done.
        [`${RUN_FOLDER}/package-lock.json`]: JSON.stringify({
          packages: { '': { dependencies: { [pluginPackage]: '*' } } },
        }),
        [`${RUN_FOLDER}/node_modules/.keep`]: '',
      },
    }),
  };
}

/** The sessions of subagents are not told of: they have a parent, and somebody waits for that one. */
const PLUGIN = `
const PASSED_ON = new Set(${JSON.stringify(PASSED_ON)});

export const AgentMux = async ({ directory }) => {
  const children = new Set();
  const sessions = new Map();
  const tellOf = (event, id, more) => {
    if (!id || children.has(id)) return;
    if (!sessions.has(id)) sessions.set(id, {});
    tell(event, { session_id: id, cwd: directory, ...more });
  };
  const heard = ({ type, properties = {} }) => {
    const { sessionID, info, part } = properties;
    if (info?.parentID && type.startsWith('session.')) children.add(info.id);
    if (type === 'session.created') tellOf(type, info.id, {});
    else if (PASSED_ON.has(type)) tellOf(type, sessionID, {});
    else if (type === 'session.idle') tellOf(type, sessionID, { last_assistant_message: sessions.get(sessionID)?.answer });
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
      tellOf('chat.message', sessionID, { prompt: short(said.join('\\n')), model });
    }),
    'tool.execute.before': quietly(({ sessionID, tool }) => tellOf('tool.execute.before', sessionID, { tool_name: tool })),
    dispose: quietly(() => {
      for (const id of sessions.keys()) tellOf('dispose', id, {});
    }),
  };
};
`;
