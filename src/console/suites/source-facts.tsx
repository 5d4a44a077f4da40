import type { SuiteSource } from '../../contract/suites-api.ts';

/** As many characters of a commit as people compare. */
const commitLength = 10;

/** Branch, commit, author and job of what was verified, in one line. */
export function SourceFacts({ source: { branch, commit, author, job, url } }: { source: SuiteSource }) {
  return (
    <>
      {branch === undefined ? null : <span className="mono">{branch}</span>}
      {commit === undefined ? null : (
        <span className="mono" title={commit}>
          {commit.slice(0, commitLength)}
        </span>
      )}
      {author === undefined ? null : <span>{author}</span>}
      {url === undefined ? (
        job === undefined ? null : (
          <span>{job}</span>
        )
      ) : (
        <a href={url} rel="noreferrer noopener" target="_blank">
          {job ?? 'CI job'} <span className="visually-hidden">(opens in a new tab)</span>
        </a>
      )}
    </>
  );
}
