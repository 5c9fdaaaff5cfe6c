import { DaemonError } from '../../daemon-error.ts';
import type { Browsers } from '../access/browsers.ts';
import { cookieHeader } from '../access/identify.ts';
import type { LoginCodes } from '../access/login-codes.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import type { Streams } from '../streams.ts';

type Operations = 'createLoginLink' | 'logIn' | 'listBrowsers' | 'removeBrowser';

/** Of what a browser calls itself. */
const NAME_CHARS = 200;

interface BrowserParts {
  audit: Audit;
  browsers: Browsers;
  codes: LoginCodes;
  streams: Streams;
  cookieName: string;
  lifeMs: number;
}

export function browserHandlers({
  audit,
  browsers,
  codes,
  streams,
  cookieName,
  lifeMs,
}: BrowserParts): Pick<Handlers, Operations> {
  return {
    async createLoginLink({ context, who }) {
      const { code, expiresAt } = codes.make();
      await audit(who, 'browser.invite');
      const port = context.env.incoming.socket.localPort;
      return { url: `http://127.0.0.1:${port}/login?code=${code}`, expiresAt };
    },

    async logIn({ query, request }) {
      refuseForesight(request);
      if (!codes.use(query.code)) {
        // A person reads it in the app, which says how to get a new one.
        if (/\btext\/html\b/i.test(request.headers.get('accept') ?? ''))
          return new Response(null, { status: 303, headers: { location: '/?link=used' } });
        throw new DaemonError('UNAUTHORIZED', 'this link was used before, or is too old', { hint: 'make a new one' });
      }
      const name = (request.headers.get('user-agent') ?? 'a browser').replace(/[^\x20-\x7e]/g, '').slice(0, NAME_CHARS);
      const { cookie, id } = await browsers.signIn(name);
      await audit(`browser:${id}`, 'browser.sign-in', { id, name });
      return new Response(null, {
        status: 303,
        headers: { location: '/', 'set-cookie': cookieHeader(cookieName, cookie, lifeMs) },
      });
    },

    async listBrowsers({ browserId }) {
      return {
        browsers: (await browsers.list()).map((browser) => ({ ...browser, current: browser.id === browserId })),
      };
    },

    async removeBrowser({ params, who }) {
      if (!(await browsers.signOut(params.id)))
        throw new DaemonError('NOT_FOUND', `there is no browser "${params.id}"`);
      streams.end(`browser:${params.id}`);
      await audit(who, 'browser.sign-out', { id: params.id });
      return undefined;
    },
  };
}

/** Whoever only looks ahead, or asks for the head, would use the link up for the person who follows it. */
function refuseForesight(request: Request): void {
  const purpose = `${request.headers.get('sec-purpose') ?? ''} ${request.headers.get('purpose') ?? ''}`;
  if (request.method === 'GET' && !/prefetch|prerender|preview/i.test(purpose)) return;
  throw new DaemonError('FORBIDDEN', 'a login link is opened by a person, once');
}
