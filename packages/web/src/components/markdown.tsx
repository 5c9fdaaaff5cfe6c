import { Check, Copy } from 'lucide-react';
import { type ComponentProps, isValidElement, memo, type ReactNode, useRef, useState } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { languageOf } from './code.logic.ts';
import { Highlighted } from './highlighted.tsx';
import { IconButton, Scrolled } from './primitives.tsx';

const PLUGINS = [remarkGfm];

/** Only http(s) and mailto links are kept; any other link is shown as plain text. */
function safeAddress(address: string): string {
  return /^(?:https?:\/\/|mailto:)/i.test(address) ? address : '';
}

const COMPONENTS: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  // Loading an image would let the agent send a request, and data with it, to any host.
  img: ({ alt, src }) => <span className="muted">[image: {alt || (typeof src === 'string' ? src : '')}]</span>,
  pre: CodeBlock,
  table: ({ children }) => (
    <div className="table-scroll">
      <table>{children}</table>
    </div>
  ),
};

/** Renders untrusted Markdown from an agent. HTML in it is never rendered as HTML. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={safeAddress} skipHtml={false}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

function CodeBlock({ children }: ComponentProps<'pre'>) {
  const code = codeOf(children);
  const block = useRef<HTMLPreElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(block.current?.textContent ?? '');
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className="code-block">
      <Scrolled ref={block} label="Code">
        {code ? <Highlighted text={code.text} language={code.language} /> : children}
      </Scrolled>
      <IconButton label={isCopied ? 'Copied' : 'Copy'} className="code-copy" onClick={() => void copy()}>
        {isCopied ? <Check /> : <Copy />}
      </IconButton>
    </div>
  );
}

/** Extracts text and language from the `code` element that react-markdown puts into `pre`. */
function codeOf(children: ReactNode): { text: string; language: string | null } | null {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return null;
  const { className, children: text } = children.props;
  return typeof text === 'string' ? { text, language: languageOf(className) } : null;
}
