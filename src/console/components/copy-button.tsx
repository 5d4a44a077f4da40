import { useEffect, useRef, useState } from 'react';

type CopyState = 'idle' | 'copied' | 'failed';

const messages: Readonly<Record<Exclude<CopyState, 'idle'>, string>> = {
  copied: 'Copied',
  failed: 'Copying failed. Select the text instead',
};

/** A text that must be loaded first is loaded when it is wanted. */
type CopyButtonProps = { readonly text: string | (() => Promise<string>); readonly label?: string };

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [state, setState] = useState<CopyState>('idle');
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), state === 'copied' ? 2000 : 6000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      const content = typeof text === 'string' ? text : await text();
      setState((await writeToClipboard(content)) || copySelection(content, ref.current) ? 'copied' : 'failed');
    } catch {
      setState('failed');
    }
  };
  return (
    <button ref={ref} type="button" className="quiet copy" onClick={() => void copy()} aria-live="polite">
      {state === 'idle' ? label : messages[state]}
    </button>
  );
}

/** Returns false if the browser refuses, as it does for plain http on a host other than localhost. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The way of older browsers, which also works over plain http. The field stands beside the button: a modal dialog holds the focus. */
function copySelection(text: string, button: HTMLButtonElement | null): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  button?.parentElement?.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    button?.focus();
  }
}
