import { CopyButton } from './copy-button.tsx';

/** A command to type, with a button to copy it. */
export function CommandLine({ text }: { text: string }) {
  return (
    <span className="command">
      <code>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}
