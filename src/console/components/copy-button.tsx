import { useEffect, useState } from 'react';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => void copyText(text).then(setIsCopied);
  return (
    <button type="button" className="quiet copy" onClick={copy} aria-live="polite">
      {isCopied ? 'Copied' : label}
    </button>
  );
}

/** Returns false if the browser refuses, as it does for plain http on a host other than localhost. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
