/** The documentation as pages of the control plane. It is the same for everybody and needs no credential. */
import {
  documentationPath,
  documentationPolicy,
  readStylesheet,
  renderDocument,
  stylesheetPath,
} from '../../documentation/html.ts';
import { readSections } from '../../documentation/pages.ts';
import type { MountedPaths } from '../../http/mounted-paths.ts';

export const documentationPaths: MountedPaths = {
  kind: 'mounted',
  name: 'documentation',
  methods: ['GET', 'HEAD'],
  paths: [documentationPath, `${documentationPath}/*`],
  credential: 'none',
  accepts: (path) => path === documentationPath || path.startsWith(`${documentationPath}/`),
};

type Content = { readonly type: string; readonly body: string };

function findContent(path: string): Content | undefined {
  if (path === stylesheetPath) return { type: 'text/css; charset=utf-8', body: readStylesheet() };
  const name = path.slice(documentationPath.length).replace(/^\/|\/$/g, '');
  const sections = readSections();
  const page = sections.flatMap((section) => section.pages).find((candidate) => candidate.name === name);
  if (name !== '' && page === undefined) return undefined;
  return { type: 'text/html; charset=utf-8', body: renderDocument(sections, page) };
}

/** Handles requests for the documentation; undefined for all others and for unknown pages. */
export function createDocumentationHandler(): (request: Request) => Response | undefined {
  const contents = new Map<string, Content>();
  return (request) => {
    if (!documentationPaths.methods.includes(request.method)) return undefined;
    const { pathname } = new URL(request.url);
    if (!documentationPaths.accepts(pathname)) return undefined;
    const content = contents.get(pathname) ?? findContent(pathname);
    if (content === undefined) return undefined;
    contents.set(pathname, content);
    const headers = {
      'Content-Type': content.type,
      'Cache-Control': 'max-age=300',
      'Content-Security-Policy': documentationPolicy,
    };
    return new Response(request.method === 'HEAD' ? null : content.body, { headers });
  };
}
