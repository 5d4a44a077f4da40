import t from 'tap';
import { compareVersions, findNewestVersion } from '../../../src/registry/serving/version-order.ts';

const at = (version: string, published_at_ms = 0, id = 0) => ({ version, published_at_ms, id });

t.test('semantic versions are ordered by semver, regardless of the time of publishing', async (t) => {
  // The example of semver.org, section 11.
  const rising = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    'v1.0.0',
    '1.0.1',
    '1.10.0',
    '2.0.0',
  ];
  for (const [index, version] of rising.slice(1).entries()) {
    const before = rising[index] ?? '';
    t.ok(compareVersions(at(version, 0), at(before, 99)) > 0, `${version} above ${before}`);
    t.ok(compareVersions(at(before, 99), at(version, 0)) < 0, `${before} below ${version}`);
  }
  t.equal(compareVersions(at('1.0.0+a'), at('1.0.0+b')), 0);
  t.ok(compareVersions(at('1.0.0+a', 2), at('1.0.0+b', 1)) > 0, 'builds of one version by their time');
});

t.test('other versions are lower than semantic ones, and ordered by time', async (t) => {
  t.ok(compareVersions(at('0.0.1', 0), at('2026-11-21', 99)) > 0);
  t.ok(compareVersions(at('a', 2), at('b', 1)) > 0);
  t.ok(compareVersions(at('a', 1, 2), at('b', 1, 1)) > 0, 'and in one moment by their order');
  t.equal(findNewestVersion([at('1.0.0'), at('1.2.0'), at('1.1.0'), at('zzz', 99)])?.version, '1.2.0');
  t.equal(findNewestVersion([]), undefined);
});
