document.title = "Ledger";
