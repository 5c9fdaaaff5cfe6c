import { addRule, createTestRequest, removeRule } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'getPolicy' | 'testPolicy' | 'addRule' | 'removeRule' | 'forgetRemembered';

interface PolicyParts extends Pick<ApiParts, 'policy' | 'paths' | 'service'> {
  audit: Audit;
}

export function policyHandlers({ policy, paths, service, audit }: PolicyParts): Pick<Handlers, Operations> {
  const { book, env } = policy;
  /** Defaults to a folder without a project. */
  const folderOf = (cwd: string | undefined) => cwd ?? paths.root;
  return {
    getPolicy: async ({ query }) => book.overview({ cwd: folderOf(query.cwd), trustProject: false }),
    async testPolicy({ body }) {
      const { agent, sessionId, trustProject = false, cwd, ...trial } = body;
      const where = { agent, cwd: folderOf(cwd), isLocal: true, ...(sessionId === undefined ? {} : { sessionId }) };
      return book.decide({ request: createTestRequest(trial), ...where }, trustProject);
    },
    async addRule({ body, actor }) {
      const { file, created } = await addRule(body, { env });
      await audit(actor, 'policy.rule-add', { rule: { ...body } });
      service.evaluateOpen();
      return { file, created };
    },
    async removeRule({ params, actor }) {
      await removeRule(params.name, { env });
      await audit(actor, 'policy.rule-remove', { rule: params.name });
      return undefined;
    },
    async forgetRemembered({ params, actor }) {
      const known = book.overview({ cwd: paths.root, trustProject: false }).remembered;
      if (!known.some(({ id }) => id.startsWith(params.id)))
        throw new DaemonError('NOT_FOUND', `no remembered answer matches "${params.id}"`);
      const [gone] = await book.forget(params.id);
      await audit(actor, 'policy.forget', { remembered: gone?.id ?? params.id });
      return undefined;
    },
  };
}
