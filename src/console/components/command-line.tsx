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

/** The command with the address of this control plane, unless it is where commands go without one. */
export function addControlPlane(
  text: string,
  { origin, hostname, port, protocol }: Pick<Location, 'origin' | 'hostname' | 'port' | 'protocol'> = location,
): string {
  const isDefault = protocol === 'http:' && port === '7700' && isLoopbackHost(hostname);
  return isDefault ? text : `${text} --control-plane ${origin}`;
}

/** True where the control plane runs on the reader's machine, which then has the command line of vp too. */
export function isControlPlaneLocal(): boolean {
  return isLoopbackHost(location.hostname) || location.hostname.endsWith('.localhost');
}

/** The same as the action beside it, as a command. Not shown to a reader who has no command line of vp. */
export function AlternativeCommand({ text }: { text: string }) {
  if (!isControlPlaneLocal()) return null;
  const complete = addControlPlane(text);
  return (
    <>
      <p className="faint">Or from a terminal:</p>
      <CommandLine text={complete} />
    </>
  );
}
