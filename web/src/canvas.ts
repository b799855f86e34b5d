// A canvas that fills its place with as many pixels as the screen has.

export class Canvas {
  readonly element = document.createElement("canvas");
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;

  // Height: so much of the width, between two bounds.
  constructor(private readonly shape = 0.6, private readonly least = 260, private readonly most = 560) {
    this.element.className = "scene";
    this.context = this.element.getContext("2d")!;
  }

  // Before a drawing: the right size, and an empty page.
  begin(): CanvasRenderingContext2D {
    const ratio = devicePixelRatio || 1;
    this.width = Math.max(200, this.element.clientWidth);
    this.height = Math.round(Math.min(this.most, Math.max(this.least, this.width * this.shape)));
    const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
    if (this.element.width !== w || this.element.height !== h) {
      this.element.width = w;
      this.element.height = h;
      this.element.style.height = `${this.height}px`;
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    return this.context;
  }
}
