import t from 'tap';
import { matchesUriTemplate } from '../../../src/hub/gateway/uri-template.ts';

t.test('a URI matches the template that it can come from', async (t) => {
  for (const [template, uri, matches] of [
    ['note://{id}', 'note://5', true],
    ['note://{id}', 'note://5/6', false],
    ['note://{id}', 'note://5?x=1', false],
    ['note://{id}', 'notes://5', false],
    ['file:///{+path}', 'file:///a/b/c.txt', true],
    ['file:///{+path}', 'file:///a/../../etc/passwd', false],
    ['file:///{+path}', 'file:///a/%2e%2e/etc/passwd', false],
    ['file:///{+path}', 'file:///a/..%2fpasswd', false],
    ['file:///{+path}', 'file:///a/%252e%252e/etc/passwd', false],
    ['file:///{+path}', 'file:///public/..;/private', false],
    ['file:///{+path}', 'file:///public/..\t/private', false],
    ['file:///{+path}', 'file:///public/.\n./private', false],
    ['files{?name}', 'files?name=../secret', false],
    ['files{?name}', 'files?name=a..b', true],
    ['repo:{+path}', 'repo:../x', false],
    ['compare:{+range}', 'compare:main..dev', true],
    ['file:///{name}.txt', 'file:///a..b.txt', true],
    ['db://{schema}/{table}', 'db://public/users', true],
    ['db://{schema}/{table}', 'db://public', false],
    ['find://items{?q,page}', 'find://items', true],
    ['find://items{?q,page}', 'find://items?q=a&page=2', true],
    ['find://items{?q,page}', 'find://items#q', false],
    ['tree://root{/path*}', 'tree://root/a/b', true],
    ['page://a{#part}', 'page://a#intro', true],
    ['a.b://x', 'aXb://x', false],
    ['note://{id}', 'note://{id}', true],
    ['note://(a+)+{id}', 'note://(a+)+1', true],
    [`note://${'x'.repeat(5000)}{id}`, `note://${'x'.repeat(5000)}1`, false],
  ] as const)
    t.equal(matchesUriTemplate(template, uri), matches, `${template.slice(0, 40)} ${uri.slice(0, 40)}`);
});
