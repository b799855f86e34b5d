// The filters of the index page: by document and by verdict. Without this script all experiments are shown.
(() => {
  const bar = document.getElementById("filters");
  const experiments = [...document.querySelectorAll(".experiment")];
  if (!bar || experiments.length < 2) return;
  const choices = [...bar.querySelectorAll("select")];
  const count = document.getElementById("shown");
  const apply = () => {
    let shown = 0;
    for (const experiment of experiments) {
      experiment.hidden = choices.some((c) => c.value !== "" && experiment.dataset[c.name] !== c.value);
      shown += experiment.hidden ? 0 : 1;
    }
    count.textContent = shown === experiments.length ? "" : `${shown} of ${experiments.length} shown`;
  };
  for (const choice of choices) choice.addEventListener("change", apply);
  bar.hidden = false;
  apply();
})();
