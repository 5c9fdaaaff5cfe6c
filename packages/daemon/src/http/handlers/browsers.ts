import { DaemonError } from '../../daemon-error.ts';
import type { Browsers } from '../access/browsers.ts';
import type { LoginCodes } from '../access/login-codes.ts';
import type { LoginPages } from '../access/login-pages.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import type { Streams } from '../streams.ts';

type Operations = 'createLoginLink' | 'signInBrowser' | 'listBrowsers' | 'removeBrowser';

/** Maximum length of a browser's name. */
const NAME_CHARS = 200;

interface BrowserParts {
  audit: Audit;
  browsers: Browsers;
  codes: LoginCodes;
  streams: Streams;
  pages: LoginPages;
}

export function browserHandlers({ audit, browsers, codes, streams, pages }: BrowserParts): Pick<Handlers, Operations> {
  return {
    async createLoginLink({ context, body, actor }) {
      const { code, expiresAt } = codes.create();
      await audit(actor, 'browser.login-link');
      const url = linkOf(context.env.incoming.socket.localPort, code);
      return { url, expiresAt, ...(body.page ? { page: await pages.write(url) } : {}) };
    },

    async signInBrowser({ body, request, context }) {
      await pages.removeFor(linkOf(context.env.incoming.socket.localPort, body.code));
      if (!codes.use(body.code))
        throw new DaemonError('UNAUTHORIZED', 'this login link was already used or has expired', {
          hint: 'run "amux open" to create a new one',
        });
      const name = (request.headers.get('user-agent') ?? 'browser').replace(/[^\x20-\x7e]/g, '').slice(0, NAME_CHARS);
      const id = await browsers.signIn(name, body.publicKey);
      if (id === null) {
        const issue = { field: 'publicKey', problem: 'is not a P-256 point' };
        throw new DaemonError('VALIDATION_ERROR', `${issue.field} ${issue.problem}`, { issues: [issue] });
      }
      await audit(`browser:${id}`, 'browser.sign-in', { id, name });
      return { id };
    },

    async listBrowsers({ browserId }) {
      return {
        browsers: (await browsers.list()).map((browser) => ({ ...browser, current: browser.id === browserId })),
      };
    },

    async removeBrowser({ params, actor }) {
      if (!(await browsers.signOut(params.id))) throw new DaemonError('NOT_FOUND', `browser "${params.id}" not found`);
      streams.end(`browser:${params.id}`);
      await audit(actor, 'browser.sign-out', { id: params.id });
      return undefined;
    },
  };
}

/** The code is in the fragment, which browsers never send, so that prefetching the link does not use it up. */
function linkOf(port: number | undefined, code: string): string {
  return `http://127.0.0.1:${port}/#login=${code}`;
}
