/** The code editor of the scenario page, whose text is not in a form field. */
import type { Page } from 'playwright-core';

/** The text of the editor, without the messages at the ends of lines. */
export async function readSource(page: Page): Promise<string> {
  await page.getByRole('textbox', { name: 'Source' }).waitFor();
  return page.locator('.cm-content').evaluate((content) =>
    Array.from(content.querySelectorAll('.cm-line'), (line) => {
      const copy = line.cloneNode(true);
      if (copy instanceof Element) for (const message of copy.querySelectorAll('.editor-message')) message.remove();
      return copy.textContent ?? '';
    }).join('\n'),
  );
}

/** Replaces the text of the editor, as pasting over everything does. */
export async function writeSource(page: Page, text: string): Promise<void> {
  const source = page.getByRole('textbox', { name: 'Source' });
  await source.click();
  await source.press('ControlOrMeta+a');
  await source.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
