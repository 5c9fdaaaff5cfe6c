import '@xterm/xterm/css/xterm.css';
import '../../../styles/terminal.css';
import { createInputWriter } from '@agent-mux/api/browser';
import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import { Keyboard } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../components/primitives.tsx';
import { showErrorToast } from '../../../components/toasts.tsx';
import { call } from '../../../data/call.ts';
import { followScreen, type ScreenState } from './follow-screen.ts';
import { withSheetsForStyles } from './strict-elements.ts';

const SCROLL_BACK = 5_000;
/** Debounce for resizing. */
const SIZE_MS = 100;

/** The agent's live terminal UI. The first viewer to type gets the keyboard; others watch and can take it over. */
export function TerminalScreen({ sessionId }: { sessionId: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const [viewer] = useState(() => `web-${crypto.randomUUID().slice(0, 8)}`);
  const [state, setState] = useState<ScreenState>({ writer: null, refused: null, ended: null, isOpen: false });
  useEffect(() => {
    const element = frame.current;
    return element ? show(element, { sessionId, viewer, onState: setState }) : undefined;
  }, [sessionId, viewer]);
  const isOtherWriting = state.writer !== null && state.writer !== viewer && !state.ended;
  return (
    <div className="terminal-frame">
      <div ref={frame} className="terminal-place" />
      <div className="terminal-bar" role="status">
        <span className="muted">{statusText(state, viewer)}</span>
        {isOtherWriting ? (
          <Button
            onClick={() => {
              call('claimTerminal', { params: { id: sessionId }, body: { viewer } }).catch(showErrorToast);
              frame.current?.querySelector('textarea')?.focus();
            }}
          >
            <Keyboard />
            Take the keyboard
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function statusText({ writer, refused, ended, isOpen }: ScreenState, viewer: string): string {
  if (ended) return `The program exited${ended.code ? ` with code ${ended.code}` : ''}`;
  if (!isOpen) return refused ?? 'Connecting…';
  if (writer === viewer) return 'You have the keyboard';
  return writer === null ? 'Type to take the keyboard' : `${writer} has the keyboard`;
}

interface Shown {
  sessionId: string;
  viewer: string;
  onState(state: ScreenState): void;
}

function show(element: HTMLElement, { sessionId, viewer, onState }: Shown): () => void {
  const life = new AbortController();
  const params = { id: sessionId };
  const style = getComputedStyle(element);
  const terminal = new Terminal({
    fontFamily: style.getPropertyValue('--mono'),
    fontSize: 13,
    scrollback: SCROLL_BACK,
    screenReaderMode: false,
    minimumContrastRatio: 4.5,
    theme: themeOf(style),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  withSheetsForStyles(() => terminal.open(element));
  terminal.textarea?.setAttribute('aria-label', 'Terminal');
  // Ctrl+Tab stays with the browser, so that keyboard users can leave the terminal.
  terminal.attachCustomKeyEventHandler((event) => !(event.key === 'Tab' && event.ctrlKey));
  const typing = createInputWriter({
    send: (data) => call('writeTerminal', { params, body: { viewer, data } }),
    onError: showErrorToast,
  });
  terminal.onData((data) => typing.type(data));
  terminal.onBinary((data) => typing.type(data));

  let timer: ReturnType<typeof setTimeout> | undefined;
  let isConnected = false;
  const sendSize = () => {
    const size = fit.proposeDimensions();
    if (!isConnected || !size?.cols || !size.rows) return;
    const body = { viewer, cols: size.cols, rows: size.rows };
    // The daemon applies the size only if this viewer has the keyboard, and then sends the new size.
    call('resizeTerminal', { params, body }).catch(() => undefined);
  };
  const resized = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(sendSize, SIZE_MS);
  });
  resized.observe(element);
  const themed = new MutationObserver(() => {
    terminal.options.theme = themeOf(getComputedStyle(element));
  });
  themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });

  void followScreen({
    sessionId,
    viewer,
    signal: life.signal,
    screen: {
      show(data, cols, rows) {
        terminal.reset();
        terminal.resize(cols, rows);
        terminal.write(data);
      },
      write: (data) => terminal.write(data),
      resize: (cols, rows) => terminal.resize(cols, rows),
    },
    onState(state) {
      const isNew = !isConnected && state.isOpen && !state.ended;
      isConnected = state.isOpen && !state.ended;
      terminal.options.disableStdin = state.ended !== null;
      if (isNew) sendSize();
      onState(state);
    },
  });
  terminal.focus();
  return () => {
    life.abort();
    clearTimeout(timer);
    resized.disconnect();
    themed.disconnect();
    terminal.dispose();
  };
}

function themeOf(style: CSSStyleDeclaration): ITheme {
  const color = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: color('--page'),
    foreground: color('--text'),
    cursor: color('--accent'),
    cursorAccent: color('--page'),
    selectionBackground: `${color('--accent')}55`,
  };
}
