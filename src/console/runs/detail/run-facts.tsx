import { Link } from 'wouter';
import type { Run } from '../../../contract/api.ts';
import { parseTargetProcess } from '../../../report/target-identity.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { comparePath } from '../../paths.ts';

/** The version of the target that answered, which leads to what it changed, and the process. */
export function TargetFacts({ run }: { run: Run }) {
  const { instance, target_version: version, target_process: process } = run;
  return (
    <>
      {version === undefined ? null : (
        <span>
          version{' '}
          <Link href={comparePath(instance, version)} className="mono" title="What did this version break?">
            {version}
          </Link>
        </span>
      )}
      {process === undefined ? null : <TargetProcess text={process} />}
    </>
  );
}

function TargetProcess({ text }: { text: string }) {
  const { pid, startedAt } = parseTargetProcess(text);
  return (
    <span>
      {pid ?? 'process'}
      {startedAt === null ? null : (
        <>
          {pid === null ? ' ' : ', '}started <RelativeTime timestamp={startedAt} />
        </>
      )}
    </span>
  );
}

/** More than the host says what a link leads to; the whole address is its title. */
const maxLength = 40;

/** Addresses that the scenario's metadata name. */
export function ScenarioLinks({ links }: { links: readonly string[] }) {
  return (
    <>
      {links.map((link) => (
        <a key={link} href={link} title={link} rel="noreferrer noopener" target="_blank">
          {shorten(link)} <span className="visually-hidden">(opens in a new tab)</span>
        </a>
      ))}
    </>
  );
}

/** The end of an address is what tells an issue or a page from others. */
function shorten(link: string): string {
  const text = link.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return text.length <= maxLength ? text : `${text.slice(0, 15)}…${text.slice(text.length - (maxLength - 16))}`;
}
