import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { Emulator } from '../../../emulator/src/server.ts';
import { until } from '../until.ts';
import { CHROMIUM } from './chromium.ts';

export async function openBrowser(): Promise<Browser> {
  // Root, as in most containers, has no sandbox to use.
  return await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
}

export interface PageOptions {
  width?: number;
  scheme?: 'light' | 'dark';
}

/** The dashboard in a browser's tab, operated as a person would: by what is written on it. */
export class DashboardPage implements AsyncDisposable {
  readonly page: Page;
  /** What must not happen: errors, refusals by the Content-Security-Policy, requests to other origins. */
  readonly complaints: string[] = [];

  private constructor(page: Page, url: string) {
    this.page = page;
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => this.complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      // The browser's own line about a status that a test provokes.
      if (message.type() === 'error' && !text.startsWith('Failed to load resource'))
        this.complaints.push(text);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) this.complaints.push(`request to ${request.url()}`);
    });
  }

  static async open(
    browser: Browser,
    emulator: Emulator,
    { width = 1280, scheme = 'light' }: PageOptions = {},
  ): Promise<DashboardPage> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    const dashboard = new DashboardPage(await context.newPage(), emulator.url);
    await dashboard.page.goto(emulator.dashboardUrl);
    await dashboard.page.getByText('Live', { exact: true }).waitFor();
    return dashboard;
  }

  /** Goes to a view by its name in the navigation. @returns that view */
  async view(name: string): Promise<Locator> {
    await this.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
    return this.shown();
  }

  /** The view that is looked at. */
  shown(): Locator {
    return this.page.locator('section.view:not([hidden])');
  }

  /** Waits until what is looked at is all there. */
  async loaded(): Promise<void> {
    const loading = this.page.getByText('Loading').filter({ visible: true });
    await until(async () => (await loading.count()) === 0, 'what is looked at to be loaded');
  }

  dialog(): Locator {
    return this.page.locator('dialog[open]');
  }

  /** Answers the question that an action asks before it does something for good. */
  async confirm(action: string): Promise<void> {
    await this.page.locator('dialog.question').getByRole('button', { name: action }).click();
  }

  async told(text: string): Promise<void> {
    await this.page.locator('.notice', { hasText: text }).waitFor();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
