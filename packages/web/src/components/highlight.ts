import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore, type LanguageInput } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { Piece } from './code.logic.ts';

/** Each grammar is loaded on first use. */
const LANGUAGES: Readonly<Record<string, () => Promise<{ default: LanguageInput }>>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

/** Colors are CSS variables; styles/code.css defines them for light and dark. */
const THEME = createCssVariablesTheme({ name: 'page', variablePrefix: '--code-', fontStyle: true });

/** The first line of a language is slow on a busy machine, and a line that times out gets the wrong colors. */
const LINE_MS = 5_000;
const LINE_CHARS = 2_000;

let highlighterPromise: Promise<HighlighterCore> | undefined;

/** Null if the language is unknown. Uses the JavaScript regex engine because the CSP forbids WebAssembly. */
export async function highlight(code: string, language: string): Promise<Piece[] | null> {
  const load = LANGUAGES[language];
  if (!load) return null;
  highlighterPromise ??= createHighlighterCore({
    themes: [THEME],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await highlighterPromise;
  if (!highlighter.getLoadedLanguages().includes(language)) await highlighter.loadLanguage((await load()).default);
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    theme: 'page',
    tokenizeTimeLimit: LINE_MS,
    tokenizeMaxLineLength: LINE_CHARS,
  });
  return tokens.flatMap((line, at) => [
    ...(at === 0 ? [] : [{ text: '\n', color: null }]),
    ...line.map(({ content, color }) => ({ text: content, color: color ?? null })),
  ]);
}
