import type { CreateStatusPageResponse } from './status-pages-api.ts';

/** The badge as a link to its page, for a README. Brackets in the title would end the text of the image. */
export function formatBadgeMarkdown({
  status_page: { title },
  url,
  badge_url: badgeUrl,
}: CreateStatusPageResponse): string {
  return `[![${title.replaceAll(/[\\[\]]/g, '\\$&')}](${badgeUrl})](${url})`;
}
