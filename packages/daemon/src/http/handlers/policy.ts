import { addRule, makeTrial, removeRule } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'getPolicy' | 'testPolicy' | 'addRule' | 'removeRule' | 'forgetRemembered';

interface PolicyParts extends Pick<ApiParts, 'policy' | 'places' | 'service'> {
  audit: Audit;
}

export function policyHandlers({ policy, places, service, audit }: PolicyParts): Pick<Handlers, Operations> {
  const { book, env } = policy;
  /** Without one: where no project is. */
  const folderOf = (cwd: string | undefined) => cwd ?? places.root;
  return {
    getPolicy: async ({ query }) => book.overview({ cwd: folderOf(query.cwd), trustProject: false }),
    async testPolicy({ body }) {
      const { agent, session, trustProject = false, cwd, ...trial } = body;
      const where = { agent, cwd: folderOf(cwd), isLocal: true, ...(session === undefined ? {} : { session }) };
      return book.decide({ request: makeTrial(trial), ...where }, trustProject);
    },
    async addRule({ body, who }) {
      const { file, created } = await addRule(body, { env });
      await audit(who, 'policy.rule', { rule: { ...body } });
      service.judgeOpen();
      return { file, created };
    },
    async removeRule({ params, who }) {
      await removeRule(params.name, { env });
      await audit(who, 'policy.rule-removed', { rule: params.name });
      return undefined;
    },
    async forgetRemembered({ params, who }) {
      const known = book.overview({ cwd: places.root, trustProject: false }).remembered;
      if (!known.some(({ id }) => id.startsWith(params.id)))
        throw new DaemonError('NOT_FOUND', `no remembered answer begins with "${params.id}"`);
      const [gone] = await book.forget(params.id);
      await audit(who, 'policy.forget', { remembered: gone?.id ?? params.id });
      return undefined;
    },
  };
}
