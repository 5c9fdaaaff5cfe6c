import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../contract/sessions.ts';
import { exportSession } from './export.ts';
import { fence, quote } from './markdown.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '</pre></article></body><img src=x onerror=alert(1)>',
  `"><a href='javascript:alert(1)'>`,
  '<!-- ',
  '\u0000\u001b[2J</style>',
  '&lt;b&gt;',
].join('\n');

const hostile: Session = {
  agent: HOSTILE,
  sessionId: HOSTILE,
  title: HOSTILE,
  cwd: HOSTILE,
  model: HOSTILE,
  createdAt: 0,
  updatedAt: Number.POSITIVE_INFINITY,
  messages: [
    { role: 'user', text: HOSTILE, timestamp: 1, model: HOSTILE },
    {
      role: 'assistant',
      text: HOSTILE,
      thinking: HOSTILE,
      toolCalls: [
        { toolCallId: HOSTILE, toolName: HOSTILE, input: { [HOSTILE]: HOSTILE }, output: HOSTILE, isError: true },
      ],
    },
  ],
  branches: [
    { id: HOSTILE, active: false, messages: [{ role: 'system', text: HOSTILE }] },
    { id: 'x', active: true, messages: [] },
  ],
  warnings: [HOSTILE],
};

describe('HTML export', () => {
  const page = exportSession(hostile, 'html');

  it('contains only its own markup, whatever the session contains', () => {
    const tags = new Set([...page.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, name]) => name));
    const own = 'html head meta title style body header h1 dl dt dd main article h2 small pre details summary code h3';
    expect([...tags].filter((tag) => !own.split(' ').includes(tag ?? ''))).toEqual([]);
    expect(page.match(/<style>/g)).toHaveLength(1);
    expect(page).not.toMatch(/<[^>]*\son\w+=/i);
    expect(page).not.toMatch(/[\u0000\u001b]/);
    expect(page).not.toContain('<!--');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('&amp;lt;b&amp;gt;');
  });

  it('may load and run nothing', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const plain = policy.replaceAll('&#39;', "'");
    expect(plain).toContain(`default-src 'none'`);
    expect(plain).toContain(`style-src 'sha256-${hash}'`);
    expect(page).not.toMatch(/\b(src|href)=["']?http/);
    expect(style).toContain('prefers-color-scheme: dark');
  });

  it('shows tools, thinking and other branches on demand', () => {
    expect(page).toContain('<details class="thinking">');
    expect(page).toContain('<details class="tool bad">');
    expect(page).toContain('<details class="branch">');
  });
});

describe('Markdown export', () => {
  it('puts messages in quotes and tool output in fences', () => {
    const text = exportSession(
      {
        agent: 'acme',
        sessionId: 's',
        messages: [
          { role: 'user', text: '# not a heading\n```ts\nconst a = b < c;\n' },
          {
            role: 'assistant',
            text: 'ok',
            toolCalls: [{ toolCallId: '1', toolName: 'ba`sh', input: null, output: '```\n# out\n````' }],
          },
        ],
      },
      'markdown',
    );
    expect(text).toContain('> # not a heading\n> ```ts\n> const a = b < c;\n> ```\n\n## Assistant');
    expect(text).toContain('`` ba`sh ``');
    expect(text).toContain('`````\n```\n# out\n````\n`````');
  });

  it('lets no text escape from a fence', () => {
    const line = fc.constantFrom('```', '````', '~~~', '  ```', 'text', '`` ` ``', '`````` x');
    fc.assert(
      fc.property(
        fc.array(line).map((lines) => lines.join('\n')),
        (content) => {
          const [open = '', ...lines] = fence(content).split('\n');
          const closing = lines.findIndex((one) => new RegExp(`^ {0,3}\`{${open.length},}\\s*$`).test(one));
          expect(closing).toBe(lines.length - 1);
        },
      ),
    );
  });

  it('lets no markup escape from a quote', () => {
    const line = fc.constantFrom(
      '```',
      '```js',
      '~~~',
      '   ```',
      '    ```',
      '``` x',
      '````',
      '<img src=x>',
      '<!--',
      'a `<b>`',
      '\r```\r',
      '- ```',
      '> ~~~',
      '1. ````',
      '  ```',
      '\t```',
    );
    fc.assert(
      fc.property(
        fc.array(line).map((lines) => lines.join('\n')),
        (content) => {
          let open: string | undefined;
          for (const quoted of quote(content).split('\n')) {
            expect(quoted).toMatch(/^>/);
            const text = quoted.replace(/^> ?/, '');
            // As in CommonMark: a fence may be indented by three, and its info string contains no backtick.
            const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(text);
            if (open === undefined) expect(text).not.toContain('<');
            if (mark?.[1] && open === undefined) open = mark[1];
            else if (mark?.[1]?.startsWith(open ?? '-') && mark[2]?.trim() === '') open = undefined;
          }
        },
      ),
    );
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](  data:text/html;base64,AAAA)',
    '[x](vbscript:x)',
    '[x](java&#115;cript&colon;alert)',
    '[x](javascript\\:alert)',
    '[x](java\u0001script:alert)',
    '[x](java\tscript:alert)',
    '[x](\njavascript:alert(1))',
    '[x][a]\n\n[a]: javascript:alert(1)',
    '[x][a]\n\n[a]:\n  javascript:alert(1)',
    '[a\nb]: data:text/html,x',
    '[![x](http://127.0.0.1)](javascript:alert(1))',
  ])('creates no link from %j', (content) => {
    expect(quote(content)).not.toMatch(/\][(:]\s*(?!http)/);
    const title = exportSession({ agent: 'acme', sessionId: 's', title: content, messages: [] }, 'markdown');
    expect(title.split('\n')[0]).not.toMatch(/(?<!\\)[[\]()]/);
  });

  it('keeps links to pages, mail and files', () => {
    for (const link of ['[x](https://a.b/c?d=e&f)', '[x](src/a.ts)', '[x](mailto:me@a.b)', '[a]: http://a.b']) {
      expect(quote(link)).toBe(`> ${link}`);
    }
  });

  it('loads nothing when it is displayed', () => {
    expect(quote('look: ![x](http://127.0.0.1/x.png)')).toBe('> look: !&#91;x](http://127.0.0.1/x.png)');
  });
});

describe('JSON export', () => {
  it('is the session itself', () => {
    const { updatedAt: _, ...plain } = hostile;
    expect(JSON.parse(exportSession(plain, 'json'))).toEqual(plain);
  });

  it('has a line for metadata, one per message, and one per inactive branch', () => {
    const lines = exportSession(hostile, 'jsonl').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['session', 'message', 'message', 'branch']);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ role: 'user', text: HOSTILE });
  });
});
