import { CopyButton } from './copy-button.tsx';

/** A command to be typed, copyable. */
export function Command({ text }: { text: string }) {
  return (
    <span className="command">
      <code>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}
