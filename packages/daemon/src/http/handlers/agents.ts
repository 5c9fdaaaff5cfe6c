import type { Agent, AgentDetail, AgentLogin } from '@agent-mux/api/schemas';
import {
  AgentMuxError,
  type InstalledAgentInfo,
  LIMITATIONS,
  modesOf,
  promptDeliveryOf,
  type TerminalSpec,
} from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Client = ApiParts['client'];
type Operations = 'listAgents' | 'getAgent' | 'listModels' | 'getLogin';

export function agentHandlers({ client }: Pick<ApiParts, 'client'>): Pick<Handlers, Operations> {
  return {
    async listAgents() {
      const infos = await client.adapters.installed();
      return { agents: infos.map((info) => rowOf(client, info)) };
    },
    getAgent: ({ params }) => withKnownAgent(() => describeAgent(client, params.agent)),
    listModels: ({ params, query }) =>
      withKnownAgent(async () => {
        const list = await client.models.list(params.agent, { refresh: query.refresh ?? false });
        return {
          ...list,
          models: list.models.map(({ pricing, ...model }) => ({
            ...model,
            ...(pricing ? { pricing: { ...pricing } } : {}),
          })),
        };
      }),
    getLogin: ({ params }) =>
      withKnownAgent(async (): Promise<AgentLogin> => {
        const [state, guide] = await Promise.all([client.auth.check(params.agent), client.auth.guidance(params.agent)]);
        const { steps, commands, docsUrl } = guide;
        return { ...state, steps: [...steps], commands: [...commands], ...(docsUrl === undefined ? {} : { docsUrl }) };
      }),
  };
}

async function describeAgent(client: Client, agent: string): Promise<AgentDetail> {
  const adapter = client.adapters.get(agent);
  const info = await client.adapters.detect(agent);
  if (!info) throw new DaemonError('NOT_FOUND', `unknown agent "${agent}"`);
  return {
    ...rowOf(client, info),
    modes: modesOf(adapter).map((mode) => ({
      name: mode.name,
      capabilities: { ...mode.capabilities },
      promptDelivery: promptDeliveryOf(mode),
      limitations: (mode.limitations ?? []).map((one) => LIMITATIONS[one]),
    })),
    install: client.adapters.installInstructions(agent).map(({ type, command, notes }) => ({
      type,
      command,
      ...(notes === undefined ? {} : { notes }),
    })),
    screen: adapter.terminal ? describeTerminal(adapter.terminal) : null,
  };
}

function describeTerminal({ resume, model, prompt, approvalModes = {} }: TerminalSpec): AgentDetail['screen'] {
  return {
    resumes: resume !== undefined,
    takesModel: model !== undefined,
    takesPrompt: prompt !== undefined,
    approvalModes: Object.keys(approvalModes),
  };
}

function rowOf(client: Client, info: InstalledAgentInfo): Agent {
  const card = client.adapters.manifest(info.agent);
  const known = client.adapters.list().find(({ agent }) => agent === info.agent);
  const adapter = client.adapters.get(info.agent);
  const modes = modesOf(adapter).map(({ name }) => name);
  const { verifiedVersions = [], documentedBy, needsNoInstall = false } = adapter;
  return {
    ...info,
    displayName: card.displayName,
    source: known?.source ?? 'built-in',
    ...(known?.replacesBuiltIn === undefined ? {} : { replacesBuiltIn: known.replacesBuiltIn }),
    evidence: documentedBy ? 'documented' : verifiedVersions.length > 0 ? 'verified' : null,
    verifiedVersions: [...verifiedVersions],
    needsNoInstall,
    defaultMode: modes[0] ?? '',
    modes,
  };
}

/** Turns an unknown agent in the path into NOT_FOUND. */
export async function withKnownAgent<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AgentMuxError) || error.code !== 'UNKNOWN_AGENT') throw error;
    throw new DaemonError('NOT_FOUND', error.message, { hint: error.hint });
  }
}
