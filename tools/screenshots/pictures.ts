import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';

/** As the tests of the emulator's dashboard have it: Debian's, else CHROMIUM_PATH. */
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const VIEW = { width: 1_280, height: 1_180 };
/** Without the UI's own frame. */
const SHOWN = { x: 205, y: 60, width: 1_075, height: 1_120 };
const NAMESPACE = 'default';
/** Milliseconds. */
const DRAWN_WITHIN = 2_500;

/** A run whose page is pictured. */
export interface Run {
  workflowId: string;
  runId: string;
}

/** Takes pictures of the Temporal Web UI as an operator sees it. */
export class Pictures {
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #uiUrl: string;
  readonly #folder: string;

  private constructor(browser: Browser, page: Page, uiUrl: string, folder: string) {
    this.#browser = browser;
    this.#page = page;
    this.#uiUrl = uiUrl;
    this.#folder = folder;
  }

  static async open(uiUrl: string, folder: string): Promise<Pictures> {
    // Root, as in most containers, has no sandbox to use.
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    const context = await browser.newContext({ viewport: VIEW, colorScheme: 'light' });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    return new Pictures(browser, page, uiUrl, folder);
  }

  /** What a run says of itself: its Current Details. @returns the picture's kilobytes */
  async ofDetails(name: string, run: Run): Promise<number> {
    await this.#open(run);
    await this.#page.getByText('User Metadata', { exact: true }).click();
    await this.#page.getByText('Current Details').first().waitFor();
    await this.#settle();
    return await this.#take(name);
  }

  /** The page of a run as it opens: what runs, and what it waits for. */
  async ofTimeline(name: string, run: Run): Promise<number> {
    await this.#open(run);
    await this.#settle();
    await this.#page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    return await this.#take(name);
  }

  /** A dialog of a run's page, by the entry of More Actions that opens it. */
  async ofDialog(name: string, run: Run, entry: string): Promise<number> {
    await this.#open(run);
    await this.#page.getByRole('button', { name: 'More Actions' }).click();
    await this.#page.getByRole('menuitem', { name: entry }).click();
    await this.#settle();
    const field = await this.#page
      .getByText('Choose an Event to reset to')
      .boundingBox({ timeout: 1_000 })
      .catch(() => null);
    if (field !== null) await this.#page.mouse.click(field.x + 100, field.y + field.height + 25);
    await this.#settle();
    return await this.#take(name);
  }

  async ofWhatNeedsALook(): Promise<number> {
    const query = encodeURIComponent('DarkroomState IS NOT NULL AND ExecutionStatus = "Running"');
    await this.#page.goto(`${this.#uiUrl}/namespaces/${NAMESPACE}/workflows?query=${query}`);
    await this.#page.getByText('pipeline/').first().waitFor();
    await this.#settle();
    return await this.#take('runs-that-need-a-look');
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async #open({ workflowId, runId }: Run): Promise<void> {
    const id = encodeURIComponent(workflowId);
    await this.#page.goto(`${this.#uiUrl}/namespaces/${NAMESPACE}/workflows/${id}/${runId}/timeline`);
    await this.#page.getByRole('heading', { name: workflowId }).waitFor();
  }

  /** The page draws what it has got a moment later, and never rests while a run is open. */
  async #settle(): Promise<void> {
    await this.#page.waitForTimeout(DRAWN_WITHIN);
  }

  async #take(name: string): Promise<number> {
    const file = join(this.#folder, `${name}.png`);
    const taken = await this.#page.screenshot({ clip: SHOWN });
    await sharp(taken).png({ palette: true, colours: 64, compressionLevel: 9, effort: 10 }).toFile(file);
    return Math.ceil((await stat(file)).size / 1_000);
  }
}
