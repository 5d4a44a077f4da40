import { Fragment } from 'react';
import { isLoopbackHost } from '../../addresses/host-address.ts';
import { CopyButton } from './copy-button.tsx';

/** A command to type, with a button to copy it. */
export function CommandLine({ text }: { text: string }) {
  return (
    <span className="command">
      <code>
        {text.split(' ').map((word, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: words never change places
          <Fragment key={index}>
            {index > 0 ? ' ' : null}
            <span className="word">{word}</span>
          </Fragment>
        ))}
      </code>
      <CopyButton text={text} />
    </span>
  );
}

/** True where the control plane runs on the reader's machine, which then has the command line of vp too. */
export function hasCommandLine(): boolean {
  return isLoopbackHost(location.hostname) || location.hostname.endsWith('.localhost');
}

/** The same as the action beside it, as a command. Not shown to a reader who has no command line of vp. */
export function AlternativeCommand({ text }: { text: string }) {
  if (!hasCommandLine()) return null;
  return (
    <>
      <p className="faint">Or from a terminal:</p>
      <CommandLine text={text} />
    </>
  );
}
